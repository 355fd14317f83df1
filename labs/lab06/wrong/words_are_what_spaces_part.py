"""A word is what stands between two spaces: 'Manager?' is another word than 'manager'.

Instead in: published.py
Loses: recall/gives-the-body
"""


def _words(text: str) -> set[str]:
    return set(text.split())
