"""Assumes that who wrote a fact does not matter once it is stored.

Instead in: solution.py
Loses: trust/a-lower-rank-does-not-outrank
"""


def ranking(query: str) -> list[str]:
    relevances = {name: relevance(query, description) for name, description in rows().items()}
    relevant = [name for name in relevances if relevances[name] and not is_withheld(name)]
    return sorted(relevant, key=lambda name: relevances[name], reverse=True)
