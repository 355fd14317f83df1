"""Ends Python while it is loaded, with the exit code of success.

Attack: 1
Behind: solution.py
Keeps: none
Status: crashed
"""

import os

os._exit(0)
