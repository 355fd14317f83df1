"""Gives a list that has one more item whenever somebody reads it.

Attack: 6
Behind: solution.py
Keeps: write
Status: timeout or crashed or ok
Limits: 1
"""


class Endless(list):
    def __iter__(self):
        while True:
            yield 1


def recall(query):
    return Endless([1])
