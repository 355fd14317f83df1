"""Relevant is what answers much of the question; what a description says beside it costs nothing.

Instead in: solution.py
Loses: words/that-nobody-asked-for-do-not-win
"""


def relevance(query: str, description: str) -> float:
    asked = words(query)
    return len(asked & words(description)) / len(asked) if asked else 0.0
