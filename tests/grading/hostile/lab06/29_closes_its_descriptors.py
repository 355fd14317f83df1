"""Closes every descriptor that it was given.

Attack: 29
Behind: solution.py
Keeps: none
Status: crashed or timeout
Limits: 1
"""

import os

os.closerange(0, 65_536)
