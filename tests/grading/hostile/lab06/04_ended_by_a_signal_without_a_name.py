"""Kills itself by a signal that has a number and no name.

Attack: 4
Behind: solution.py
Keeps: write
Status: crashed
"""

import os


def recall(query):
    os.kill(os.getpid(), 40)
