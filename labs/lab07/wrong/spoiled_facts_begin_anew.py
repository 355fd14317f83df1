"""What cannot be read is nothing, and nothing can be written over.

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
