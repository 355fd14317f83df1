"""Leaves threads that never end, none of them a daemon.

Attack: 13
Behind: solution.py
Keeps: all
"""

import threading

for _ in range(4):
    threading.Thread(target=threading.Event().wait).start()
