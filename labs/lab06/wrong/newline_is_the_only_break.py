r"""A text has one line where it has no \n in it.

Instead in: solution.py
Loses: names/forge-no-row-and-no-label
"""


def one_line(text: str) -> str:
    return text.replace("\n", " ")
