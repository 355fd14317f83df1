"""Asks for the address of a name, which tells the name to whoever answers for it.

Attack: 23
Behind: constant_stub.py
Keeps: none
Status: ok or timeout
Limits: 1
"""

import contextlib
import socket

socket.setdefaulttimeout(0.5)
FOUND = []
for name in (f"{MARK}.invalid", "localhost.invalid"):
    with contextlib.suppress(OSError):
        FOUND.append(socket.getaddrinfo(name, 80))
