"""Assumes that there is only one reason for no answer: a stale fact.

Instead in: published.py
Loses: gate/gives-none-for-nothing
"""


def recall_and_trust(query: str) -> str | None:
    memory = recall(query)
    ok, problems = verify_before_trust(memory) if memory else (False, [])
    if not ok:
        print("STALE -- not serving as fact. flag for refresh:")
        for problem in problems:
            print(f"  - {problem}")
        return None
    return memory
