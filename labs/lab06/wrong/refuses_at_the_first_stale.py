"""Assumes that refusing is enough: if the best memory is stale, there is no answer.

Instead in: solution.py
Loses: next/best-is-served
"""


def recall_and_trust(query: str) -> str | None:
    for name in ranking(query):
        memory = split_page(name)[1]
        ok, problems = verify_before_trust(memory)
        if ok:
            announce(name)
            return memory
        print("STALE -- not serving as fact. flag for refresh:")
        for problem in problems:
            print(f"  - {problem}")
        return None
    return None
