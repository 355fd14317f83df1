"""Assumes that a printed warning is enough, and serves the stale memory.

Instead in: published.py
Loses: gate/withholds-the-stale-fact-and-prints-why, gate/looks-again-each-time
"""


def recall_and_trust(query: str) -> str | None:
    memory = recall(query)
    if memory:
        _, problems = verify_before_trust(memory)
        if problems:
            print("STALE -- not serving as fact. flag for refresh:")
            print("\n".join(f"  - {problem}" for problem in problems))
    return memory
