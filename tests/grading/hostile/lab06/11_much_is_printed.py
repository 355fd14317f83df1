"""Prints a megabyte in each call and is right all the same.

Attack: 11
Behind: solution.py
Keeps: none or all or write
Status: ok or crashed
"""


def loudly(function):
    def loud(*args, **named):
        print("x" * 2**20)
        return function(*args, **named)

    return loud


recall = loudly(recall)
