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


def stay(*told):
    try:
        child = os.fork()
    except OSError:
        return
    if child == 0:
        os.setsid()
        time.sleep(3600)


class Kept:
    def __del__(self):
        stay()


KEPT = Kept()
weakref.finalize(KEPT, stay)
atexit.register(stay)
sys.excepthook = stay
sys.unraisablehook = stay
