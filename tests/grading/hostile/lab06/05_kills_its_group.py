"""Kills its process group, and whatever group its parent is in.

Attack: 5
Behind: solution.py
Keeps: all or none
Status: ok or crashed
"""

import contextlib
import os
import signal

for group in (os.getpgid(os.getppid()), os.getpgrp()):
    with contextlib.suppress(OSError):
        os.killpg(group, signal.SIGKILL)
