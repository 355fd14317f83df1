"""Assumes that `if verify_before_trust(memory):` tests whether the memory is in order.

Instead in: published.py
Loses: gate/withholds-the-stale-fact-and-prints-why, gate/looks-again-each-time
"""


def recall_and_trust(query: str) -> str | None:
    memory = recall(query)
    if memory is None:
        return None
    if verify_before_trust(memory):
        return memory
    print("STALE -- not serving as fact. flag for refresh:")
    for problem in verify_before_trust(memory)[1]:
        print(f"  - {problem}")
    return None
