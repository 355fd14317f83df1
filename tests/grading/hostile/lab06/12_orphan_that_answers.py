"""Leaves a child in a session of its own to answer in its place, and ends.

Attack: 12
Behind: constant_stub.py
Keeps: none
Status: crashed or timeout or ok
Limits: 1
"""

import os

if os.fork():
    os._exit(0)
os.setsid()
