"""Sleeps for an hour, which costs no CPU time.

Attack: 6
Behind: solution.py
Keeps: write
Status: timeout
Limits: 1
"""

import time


def recall(query):
    time.sleep(3600)
