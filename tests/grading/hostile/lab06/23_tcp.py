"""Calls a listener on this machine, and one that is far away.

Attack: 23
Behind: constant_stub.py
Keeps: none
Status: ok or crashed
Never: reached:
"""

import contextlib
import socket

SENT = []


def call_home(*args, **named):
    for family, place in (
        (socket.AF_INET, ("127.0.0.1", PORT)),
        (socket.AF_INET6, ("::1", PORT)),
        (socket.AF_INET, ("192.0.2.1", 80)),
    ):
        with contextlib.suppress(OSError), socket.socket(family, socket.SOCK_STREAM) as out:
            out.settimeout(0.2)
            out.connect(place)
            out.sendall(MARK.encode())
            SENT.append(place)
    if SENT:
        raise OSError(f"reached: {SENT}")


call_home()
write_memory = recall = call_home
