"""Assumes that words are separated by spaces only: 'Manager?' is not 'manager'.

Instead in: published.py
Loses: recall/gives-the-body
"""


def _words(text: str) -> set[str]:
    return set(text.split())
