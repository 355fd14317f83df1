"""Stops the process above it as a debugger would, and lets it go never.

Attack: 21
Behind: solution.py
Keeps: all or none
Status: ok or crashed or timeout
Limits: 2
"""

import ctypes
import os

libc = ctypes.CDLL(None, use_errno=True)
if libc.ptrace(16, os.getppid(), 0, 0) == 0:
    os.waitpid(os.getppid(), 0)
