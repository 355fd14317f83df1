"""Assumes that the program owns the rules and writes their file at every start.

Instead in: published.py
Loses: rules/gives-what-a-person-wrote
"""


class MemoryMix:
    def __init__(self) -> None:
        self.working: dict[str, Any] = {}
        ROOT.mkdir(exist_ok=True)
        RULES.write_text(FIRST_RULES, encoding="utf-8")
