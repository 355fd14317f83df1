"""Leaves a daemon, forked twice, that closes all it has and burns CPU time.

Attack: 13
Behind: solution.py
Keeps: all
"""

import os

if os.fork() == 0:
    os.setsid()
    if os.fork():
        os._exit(0)
    os.closerange(0, 256)
    os.chdir("/")
    while True:
        pass
