"""Leaves a child in a session of its own, which keeps the pipes open for an hour, and ends.

Attack: 12
Behind: solution.py
Keeps: none
Status: crashed or timeout
Limits: 1
"""

import os
import time

try:
    if os.fork() == 0:
        os.setsid()
        time.sleep(3600)
finally:
    os._exit(0)
