"""Has a scratchpad that is whatever is asked for: equal to all, of every length, another one at each look.

Attack: 19
Behind: constant_stub.py
Keeps: none
Status: ok or crashed
"""

import json
import os


class Pad(dict):
    __eq__ = __contains__ = lambda self, other: True
    __len__ = lambda self: 3
    __getitem__ = get = lambda self, key, default=None: Pad()
    items = lambda self: [("task", "ship the labs page"), ("todo", [os.getpid()]), ("todo", ["build"])]
    __hash__ = None


MemoryMix.working = property(lambda self: Pad(), lambda self, value: None)
