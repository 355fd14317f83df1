r"""Assumes that a text without \n is one line.

Instead in: solution.py
Loses: names/forge-no-row-and-no-label
"""


def one_line(text: str) -> str:
    return text.replace("\n", " ")
