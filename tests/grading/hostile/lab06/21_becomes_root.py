"""Asks to be somebody else, by every call and program that could make it so.

Attack: 21
Behind: constant_stub.py
Keeps: none
Never: became: [a-z]
"""

import contextlib
import os
import subprocess

WHO = []
for call in (os.setuid, os.seteuid, os.setgid):
    with contextlib.suppress(OSError):
        call(0)
        WHO.append(call.__name__)
for command in (
    ["su", "-c", "id"],
    ["sudo", "-n", "id"],
    ["mount", "-t", "tmpfs", "x", "/tmp"],
    ["passwd", "-d", "root"],
    ["chsh", "-s", "/bin/sh"],
):
    with contextlib.suppress(OSError, subprocess.TimeoutExpired):
        if (
            subprocess.run(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                timeout=0.5,
                check=False,
            ).returncode
            == 0
        ):
            WHO.append(command[0])


def write_memory(*args, **named):
    raise OSError("became: " + ", ".join(WHO))


recall = write_memory
