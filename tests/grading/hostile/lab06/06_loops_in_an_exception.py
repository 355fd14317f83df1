"""Raises an exception whose words never end to be written.

Attack: 6
Behind: solution.py
Keeps: write
Status: timeout or ok
Limits: 1
"""


class Endless(Exception):
    def __str__(self):
        while True:
            pass


def recall(query):
    raise Endless
