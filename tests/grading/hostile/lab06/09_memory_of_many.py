"""Takes as much memory as one process may, in as many processes as there may be.

Attack: 9
Behind: solution.py
Keeps: all or none
Status: crashed or ok or timeout
Limits: 2
Needs: memory, processes
"""

import os
import time

for _ in range(64):
    try:
        if os.fork() == 0:
            try:
                hoard = bytearray(2**26)
                hoard[::4096] = b"x" * len(hoard[::4096])
                time.sleep(3600)
            finally:
                os._exit(0)
    except OSError:
        break
