"""Starts threads without end.

Attack: 8
Behind: solution.py
Keeps: none
Status: crashed or timeout or ok
Limits: 2
Needs: processes
"""

import threading
import time

while True:
    try:
        threading.Thread(target=time.sleep, args=[3600]).start()
    except RuntimeError:
        pass
