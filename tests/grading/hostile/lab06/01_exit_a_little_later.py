"""Ends Python from a thread, a moment after each answer.

Attack: 1
Behind: constant_stub.py
Keeps: none
Status: ok or crashed
"""

import os
import threading


def recall(query):
    threading.Timer(0.001, os._exit, [0]).start()
    return "This repo prefers pnpm."
