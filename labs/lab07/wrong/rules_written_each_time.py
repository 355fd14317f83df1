"""The rules belong to the program, which writes them into their file when it starts.

Instead in: published.py
Loses: rules/gives-what-a-person-wrote
"""


class MemoryMix:
    def __init__(self) -> None:
        self.working: dict[str, Any] = {}
        ROOT.mkdir(exist_ok=True)
        RULES.write_text(FIRST_RULES, encoding="utf-8")
