"""Calls a listener by the system calls of programs of 32 bits, which a filter may forget.

Attack: 23
Behind: constant_stub.py
Keeps: none
Status: crashed or ok
Never: reached:
"""

import ctypes
import mmap
import socket
import struct


def by_the_old_door(number, first, second, third):
    """Call the kernel as a program of 32 bits does: x86_64 only."""
    code = b"\x53\xb8" + struct.pack("<I", number) + b"\xbb" + struct.pack("<I", first) + b"\xb9"
    code += struct.pack("<I", second) + b"\xba" + struct.pack("<I", third) + b"\xcd\x80\x5b\xc3"
    page = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    page.write(code)
    return ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))()


def call_home(*args, **named):
    if (handle := by_the_old_door(359, 2, 1, 0)) >= 0:
        with socket.socket(fileno=handle) as out:
            out.settimeout(0.2)
            out.connect(("127.0.0.1", PORT))
            out.sendall(MARK.encode())
        raise OSError("reached: by 32 bits")


write_memory = recall = call_home
