"""Is right as often as a coin falls on its head, in the hope to be asked when it does.

Attack: 30
Behind: solution.py
Keeps: none
"""

import os


def sometimes(function):
    return lambda *args, **named: function(*args, **named) if os.urandom(1)[0] % 2 else None


write_memory = sometimes(write_memory)
recall = sometimes(recall)
