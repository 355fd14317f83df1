"""Reads the address 0 while it is loaded.

Attack: 3
Behind: solution.py
Keeps: none
Status: crashed
"""

import ctypes

ctypes.string_at(0)
