"""Raises an exception whose words, name and trace are a hundred million letters long.

Attack: 2
Behind: solution.py
Keeps: write
Status: ok or crashed
"""


def recall(query):
    raise type("A" * 10**8, (ValueError,), {})("B" * 10**8)
