"""Starts a process whenever something of it is thrown away: in a finaliser, at exit, as a hook for what is not caught.

Attack: 13
Behind: solution.py
Keeps: all
"""

import atexit
import os
import sys
import time
import weakref


def stay(*args):
    try:
        child = os.fork()
    except OSError:
        return
    if child == 0:
        os.setsid()
        time.sleep(3600)


class StartsProcessAtEnd:
    def __del__(self):
        stay()


INSTANCE = StartsProcessAtEnd()
weakref.finalize(INSTANCE, stay)
atexit.register(stay)
sys.excepthook = stay
sys.unraisablehook = stay
