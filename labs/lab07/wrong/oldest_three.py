"""Assumes that three episodes of a list are the first three.

Instead in: published.py
Loses: assemble/latest-three-episodes
"""


class MemoryMix:
    def _parts(self, task: str) -> list[str]:
        parts = ["[RULES]\n" + self.rules()]
        facts = self._relevant_facts(task)
        if facts:
            parts.append("[FACTS]\n" + "\n".join(facts))
        recent = self.episodes()[:3]
        if recent:
            parts.append("[RECENT]\n" + "\n".join(f"{e['kind']}: {e['detail']}" for e in recent))
        todo = self.working.get("todo", [])
        if todo:
            parts.append(f"[WORKING] task={self.working['task']}\ntodo: {', '.join(todo)}")
        return parts
