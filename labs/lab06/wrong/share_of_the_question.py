"""Assumes that relevance is the share of the question that is matched; extra words in the description cost nothing.

Instead in: solution.py
Loses: words/that-nobody-asked-for-do-not-win
"""


def relevance(query: str, description: str) -> float:
    asked = words(query)
    return len(asked & words(description)) / len(asked) if asked else 0.0
