"""Never ends, after it has ignored, caught and blocked every signal that can be.

Attack: 6
Behind: solution.py
Keeps: write
Status: timeout
Limits: 1
"""

import contextlib
import signal


def recall(query):
    for one in signal.valid_signals():
        with contextlib.suppress(OSError, ValueError):
            signal.signal(one, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    while True:
        with contextlib.suppress(BaseException):
            while True:
                pass
