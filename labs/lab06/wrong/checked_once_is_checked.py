"""Assumes that one check is enough, and caches the result beside the memory.

Instead in: published.py
Loses: gate/looks-again-each-time
"""

checked: dict[str, tuple[bool, list[str]]] = {}


def recall_and_trust(query: str) -> str | None:
    memory = recall(query)
    if memory is None:
        return None
    if memory not in checked:
        checked[memory] = verify_before_trust(memory)
    ok, problems = checked[memory]
    if ok:
        return memory
    print("STALE -- not serving as fact. flag for refresh:")
    for problem in problems:
        print(f"  - {problem}")
    return None
