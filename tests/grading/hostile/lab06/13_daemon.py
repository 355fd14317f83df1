"""Leaves a daemon, forked twice, that closes all it has and burns CPU time.

Attack: 13
Behind: solution.py
Keeps: all
"""

import contextlib
import os

CHILD = None
with contextlib.suppress(OSError):
    CHILD = os.fork()
if CHILD == 0:
    os.setsid()
    if os.fork():
        os._exit(0)
    os.closerange(0, 256)
    os.chdir("/")
    while True:
        pass
