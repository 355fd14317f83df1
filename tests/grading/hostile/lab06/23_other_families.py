"""Tries every family of sockets, queues of system calls, and pairs of sockets that can be sent elsewhere.

Attack: 23
Behind: constant_stub.py
Keeps: none
Status: crashed or ok
Never: reached: [a-z]
"""

import contextlib
import ctypes
import socket

libc = ctypes.CDLL(None, use_errno=True)
OPENED = ["queue"] if libc.syscall(425, 8, ctypes.create_string_buffer(120)) >= 0 else []
for family in range(1, 46):
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_RAW, socket.SOCK_SEQPACKET):
        with contextlib.suppress(OSError), socket.socket(family, kind) as out:
            out.settimeout(0.1)
            with contextlib.suppress(OSError):
                out.connect((2, PORT) if family == 40 else ("127.0.0.1", PORT))
                out.sendall(MARK.encode())
                OPENED.append(f"family {family}")
for kind in (socket.SOCK_DGRAM, socket.SOCK_SEQPACKET, socket.SOCK_STREAM):
    with contextlib.suppress(OSError):
        one, other = socket.socketpair(socket.AF_UNIX, kind)
        with one, other, contextlib.suppress(OSError):
            one.connect(f"\0{ABSTRACT}")
            one.send(MARK.encode())
            OPENED.append("pair")
        with one, other, contextlib.suppress(OSError):
            one.sendto(MARK.encode(), f"\0{ABSTRACT}")
            OPENED.append("pair")


def write_memory(*args, **named):
    raise OSError("reached: " + ", ".join(OPENED))


recall = write_memory
