"""Never ends to end.

Attack: 6
Behind: solution.py
Keeps: all
"""

import atexit
import signal


@atexit.register
def stay():
    signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    while True:
        pass
