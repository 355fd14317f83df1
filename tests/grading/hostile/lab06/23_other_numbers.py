"""Calls a listener by the second set of numbers that a kernel may have for its system calls.

Attack: 23
Behind: constant_stub.py
Keeps: none
Status: crashed or ok
Never: reached:
"""

import ctypes
import socket

libc = ctypes.CDLL(None, use_errno=True)


def call_home(*args, **named):
    if (handle := libc.syscall(0x40000000 + 41, 2, 1, 0)) >= 0:
        with socket.socket(fileno=handle) as out:
            out.settimeout(0.2)
            out.connect(("127.0.0.1", PORT))
            out.sendall(MARK.encode())
        raise OSError("reached: by x32")


write_memory = recall = call_home
