"""Stops all that it can reach, then goes on as if nothing were.

Attack: 5
Behind: solution.py
Keeps: none
Status: timeout or crashed
Limits: 3
Needs: kill
"""

import os
import signal

os.kill(-1, signal.SIGSTOP)
