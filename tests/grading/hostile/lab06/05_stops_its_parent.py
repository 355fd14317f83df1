"""Stops the process that started it, so that nobody is left to end anything.

Attack: 5
Behind: solution.py
Keeps: none
Status: timeout or crashed or ok
Limits: 2
"""

import os
import signal

os.kill(os.getppid(), signal.SIGSTOP)
