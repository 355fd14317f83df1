"""Takes memory that outlives its process: shared, by a name, by a number, and as a file without a name.

Attack: 9
Behind: constant_stub.py
Keeps: none
Status: ok or crashed
"""

import contextlib
import ctypes
import mmap
import os

libc = ctypes.CDLL(None)
KEY = int(MARK[2:9], 16)
for size in (2**26, 2**20):
    libc.shmget(KEY + size % 7, size, 0o1666)
libc.semget(KEY, 4, 0o1666)
libc.msgget(KEY, 0o1666)
with contextlib.suppress(OSError, AttributeError):
    handle = os.memfd_create(MARK)
    os.ftruncate(handle, 2**26)
    mmap.mmap(handle, 2**26).write(b"x" * 2**24)
with contextlib.suppress(OSError), open(f"/dev/shm/{MARK}", "wb") as shared:
    shared.write(b"x" * 2**20)
with contextlib.suppress(OSError):
    libc.mq_open(f"/{MARK}".encode(), os.O_CREAT | os.O_RDWR, 0o666, None)
