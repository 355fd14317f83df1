"""Sends nothing but empty lines and blanks for ever: always a sign of life, never an answer.

Attack: 6
Behind: solution.py
Keeps: write
Status: timeout or crashed
Limits: 2
"""

import os
import time


def recall(query):
    while True:
        for one in range(3, 16):
            try:
                os.write(one, b" \n")
            except OSError:
                pass
        time.sleep(0.1)
