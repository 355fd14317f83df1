"""Leaves a daemon in each call, each of which waits to be ended before it starts the next.

Attack: 13
Behind: solution.py
Keeps: all or none or write
Status: ok or crashed or timeout
Limits: 1
"""

import os
import signal
import time


def relay(*args):
    if os.fork() == 0:
        os.setsid()
        signal.signal(signal.SIGTERM, relay)
        while True:
            time.sleep(1)


def with_daemon(function):
    def call(*args, **named):
        try:
            relay()
        except OSError:
            pass
        return function(*args, **named)

    return call


recall = with_daemon(recall)
