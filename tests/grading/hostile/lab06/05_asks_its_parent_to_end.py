"""Sends its parent every signal that a program can be asked to end, or not to wait, by.

Attack: 5
Behind: solution.py
Keeps: all or none
Status: timeout or crashed or ok
Limits: 2
"""

import contextlib
import os
import signal

for one in (
    signal.SIGPIPE,
    signal.SIGALRM,
    signal.SIGCHLD,
    signal.SIGHUP,
    signal.SIGINT,
    signal.SIGTERM,
    signal.SIGQUIT,
):
    with contextlib.suppress(OSError):
        os.kill(os.getppid(), one)
