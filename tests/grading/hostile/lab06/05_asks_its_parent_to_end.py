"""Sends its parent every signal that a program can be asked to end, or not to wait, by.

Attack: 5
Behind: solution.py
Keeps: none or all
Status: timeout or crashed or ok
Limits: 2
"""

import os
import signal

for one in (signal.SIGPIPE, signal.SIGALRM, signal.SIGCHLD, signal.SIGHUP, signal.SIGINT, signal.SIGTERM, signal.SIGQUIT):
    os.kill(os.getppid(), one)
