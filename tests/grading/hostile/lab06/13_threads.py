"""Leaves threads that never end, none of them a daemon.

Attack: 13
Behind: solution.py
Keeps: all
"""

import contextlib
import threading

for _ in range(4):
    with contextlib.suppress(RuntimeError):
        threading.Thread(target=threading.Event().wait).start()
