"""Gives a list that another thread keeps changing while it is written down.

Attack: 19
Behind: constant_stub.py
Keeps: none
Status: ok or crashed or timeout
Limits: 1
"""

import threading

SHARED = [["a"] * 1000]


def change():
    while True:
        SHARED[0] = ["This repo prefers pnpm."] if len(SHARED[0]) > 1 else [1] * 1000


threading.Thread(target=change, daemon=True).start()


def recall(query):
    return SHARED
