"""Assumes that the rules are read once, when the agent starts.

Instead in: published.py
Loses: rules/read-every-turn, assemble/with-the-rules-of-today
"""


class MemoryMix:
    def __init__(self) -> None:
        self.working: dict[str, Any] = {}
        ROOT.mkdir(exist_ok=True)
        if not RULES.exists():
            RULES.write_text(FIRST_RULES, encoding="utf-8")
        self.rule_text = RULES.read_text(encoding="utf-8").strip()

    def rules(self) -> str:
        return self.rule_text
