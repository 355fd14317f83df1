"""Ends Python when it is asked to recall, with the exit code of success.

Attack: 1
Behind: solution.py
Keeps: write
Status: crashed
"""

import os


def recall(query):
    os._exit(0)
