"""Kills itself.

Attack: 4
Behind: solution.py
Keeps: write
Status: crashed
"""

import os
import signal


def recall(query):
    os.kill(os.getpid(), signal.SIGKILL)
