"""Assumes that a file that cannot be read is empty and can be overwritten.

Instead in: solution.py
Loses: repair/spoiled-facts-are-put-aside
"""


class MemoryMix:
    def _facts(self) -> dict[str, dict[str, Any]]:
        try:
            facts = json.loads(SEMANTIC.read_text(encoding="utf-8"))
        except (FileNotFoundError, ValueError):
            return {}
        return facts if isinstance(facts, dict) else {}
