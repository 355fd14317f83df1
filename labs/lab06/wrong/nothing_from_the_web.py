"""Assumes that every write from an untrusted source must be refused.

Instead in: solution.py
Loses: trust/untrusted-facts-come-with-a-note, trust/only-untrusted-facts-have-a-note
"""


def check_rank(name: str, source: str) -> None:
    if source not in TRUST:
        raise ValueError(f"{name}: {source} may not write here")
    if page_of(name).exists() and weight(name) > TRUST[source]:
        raise ValueError(f"{name}: {source_of(name)} wrote this fact, and {source} ranks lower")
