"""Stops itself, so that it is there and never answers.

Attack: 4
Behind: solution.py
Keeps: write
Status: timeout
Limits: 1
"""

import os
import signal


def recall(query):
    os.kill(os.getpid(), signal.SIGSTOP)
