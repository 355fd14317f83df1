"""Assumes that relevance is the share of the question that is matched; extra words in the description cost nothing.

Instead in: solution.py
Loses: words/that-are-unrelated-do-not-win
"""


def relevance(query: str, description: str) -> float:
    query_words = words(query)
    return len(query_words & words(description)) / len(query_words) if query_words else 0.0
