"""Takes 0.9 of what a call may take, in each call: no call is too slow, all of them are.

Attack: 6
Behind: solution.py
Keeps: none
Status: timeout
Budgets: 1
"""

import time


def slowly(function):
    def dripping(*args, **named):
        time.sleep(4.5)
        return function(*args, **named)

    return dripping


write_memory = slowly(write_memory)
recall = slowly(recall)
