"""Kills all that it can reach.

Attack: 5
Behind: solution.py
Keeps: none
Status: crashed
Needs: kill
"""

import os
import signal

try:
    os.kill(-1, signal.SIGKILL)
finally:
    os._exit(0)
