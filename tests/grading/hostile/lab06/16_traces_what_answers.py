"""Watches each line of the program that answers, and changes its variables on the way.

Attack: 16
Behind: constant_stub.py
Keeps: none
Status: ok or crashed
"""

import ctypes
import sys
import threading


def watch(frame, event, arg):
    for name in ("reply", "answer", "value", "asked", "printed"):
        if name in frame.f_locals:
            frame.f_locals[name] = {"ok": True, "printed": "wrote memory/package-manager.md"}
            ctypes.pythonapi.PyFrame_LocalsToFast(ctypes.py_object(frame), ctypes.c_int(0))
    return watch


frame = sys._getframe()
while frame:
    frame.f_trace = watch
    frame = frame.f_back
sys.settrace(watch)
sys.setprofile(watch)
threading.settrace(watch)
