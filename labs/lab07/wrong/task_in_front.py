"""Assumes that the task is the most urgent section and comes first.

Instead in: published.py
Loses: assemble/the-published-prompt, assemble/in-priority-order, trim/the-middle-is-trimmed
"""


class MemoryMix:
    def _parts(self, task: str) -> list[str]:
        parts = []
        todo = self.working.get("todo", [])
        if todo:
            parts.append(f"[WORKING] task={self.working['task']}\ntodo: {', '.join(todo)}")
        parts.append("[RULES]\n" + self.rules())
        facts = self._relevant_facts(task)
        if facts:
            parts.append("[FACTS]\n" + "\n".join(facts))
        recent = self.episodes()[-3:]
        if recent:
            parts.append("[RECENT]\n" + "\n".join(f"{e['kind']}: {e['detail']}" for e in recent))
        return parts
