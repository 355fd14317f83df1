"""Uses whatever sockets it was given by mistake.

Attack: 23
Behind: constant_stub.py
Keeps: none
Never: given:
"""

import contextlib
import os
import socket

GIVEN = []
for one in range(3, 256):
    with contextlib.suppress(OSError):
        os.fstat(one)
        kind = os.readlink(f"/proc/self/fd/{one}")
        if not kind.startswith(("pipe:", "/dev/null")):
            GIVEN.append(kind)
            with contextlib.suppress(OSError), socket.socket(fileno=one) as out:
                out.sendall(MARK.encode())


def write_memory(*args, **named):
    raise OSError("given: " + ", ".join(GIVEN)) if GIVEN else OSError("nothing")


recall = write_memory
