"""Assumes that one shared word is chance, and looks for two.

Instead in: published.py
Loses: recall/one-shared-word-is-enough
"""


def _score(query: str, description: str) -> int:
    shared = len(_words(query) & _words(description))
    return shared if shared > 1 else 0
