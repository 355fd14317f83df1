"""Assumes that a list of facts works as well as a dict by name.

Instead in: published.py
Loses: facts/stored-by-name, facts/written-again-is-replaced, facts/outlive-the-process,
assemble/with-the-rules-of-today, promote/what-recurs-becomes-a-fact
"""


class MemoryMix:
    def write_fact(self, name: str, description: str, body: str) -> None:
        facts = self._facts()
        facts.append({"name": name, "description": description, "body": body})
        SEMANTIC.write_text(json.dumps(facts, indent=2), encoding="utf-8")

    def _facts(self) -> list[dict[str, str]]:
        if not SEMANTIC.exists():
            return []
        return json.loads(SEMANTIC.read_text(encoding="utf-8"))

    def _relevant_facts(self, task: str) -> list[str]:
        words = set(task.lower().split())
        return [fact["body"] for fact in self._facts() if words & set(fact["description"].lower().split())]
