"""Makes a user and a machine of its own inside the sandbox, where it is root, to mount and to see more.

Attack: 21
Behind: constant_stub.py
Keeps: none
Never: new namespaces: [a-z]
"""

import ctypes

libc = ctypes.CDLL(None, use_errno=True)
DONE = []
for name, flags in {
    "user": 0x10000000,
    "user and mount": 0x10020000,
    "mount": 0x00020000,
    "network": 0x40000000,
}.items():
    if libc.unshare(flags) == 0:
        DONE.append(name)


def write_memory(*args, **named):
    raise OSError("new namespaces: " + ", ".join(DONE))


recall = write_memory
