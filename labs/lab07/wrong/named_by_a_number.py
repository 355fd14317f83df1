"""Assumes that a number that counts up is a unique name.

Instead in: solution.py
Loses: names/no-two-share-one, names/another-fact-is-not-overwritten
"""


class MemoryMix:
    def __init__(self) -> None:
        self.working: dict[str, Any] = {}
        self.learned = 0
        ROOT.mkdir(exist_ok=True)
        if not RULES.exists():
            RULES.write_text(FIRST_RULES, encoding="utf-8")

    def _learned_name(self, detail: str) -> str:
        self.learned += 1
        return f"learned-{self.learned}"
