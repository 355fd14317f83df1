"""Ends Python when an object of its class is made.

Attack: 1
Behind: solution.py
Keeps: none
Status: crashed
"""

import os

MemoryMix.__init__ = lambda self: os._exit(0)
