"""Reads the address 0 in the middle of a call.

Attack: 3
Behind: solution.py
Keeps: write
Status: crashed
"""

import ctypes


def recall(query):
    return ctypes.string_at(0)
