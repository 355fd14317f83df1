"""Where there is no answer, there is one reason: it is stale.

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
