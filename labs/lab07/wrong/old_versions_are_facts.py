"""Assumes that an old version is another fact, with a number after its name.

Instead in: solution.py
Loses: assemble/with-the-rules-of-today, trust/a-strangers-fact-is-marked, versions/only-the-newest-is-served
"""


class MemoryMix:
    def write_fact(
        self, name: str, description: str, body: str, *, source: str = "user", session: str | None = None
    ) -> None:
        facts = self._facts()
        new = {"description": description, "body": body, "source": source, "session": session}
        if name in facts:
            self._check_rank(name, facts[name], new)
            version = 1
            while f"{name}-v{version}" in facts:
                version += 1
            facts[f"{name}-v{version}"] = facts[name]
        facts[name] = new
        self._save(facts)
