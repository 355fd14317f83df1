"""Assumes that the object holds all facts, so that the file can be written from the object.

Instead in: published.py
Loses: facts/outlive-the-process
"""


class MemoryMix:
    def __init__(self) -> None:
        self.working: dict[str, Any] = {}
        self.facts: dict[str, dict[str, str]] = {}
        ROOT.mkdir(exist_ok=True)
        if not RULES.exists():
            RULES.write_text(FIRST_RULES, encoding="utf-8")

    def write_fact(self, name: str, description: str, body: str) -> None:
        self.facts[name] = {"description": description, "body": body}
        SEMANTIC.write_text(json.dumps(self.facts, indent=2), encoding="utf-8")
