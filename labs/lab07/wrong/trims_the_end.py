"""Assumes that a text that is too long is cut at its end.

Instead in: published.py
Loses: trim/the-middle-is-trimmed
"""


class MemoryMix:
    def assemble(self, task: str, budget_chars: int = 1200) -> str:
        context = "\n\n".join(self._parts(task))
        if len(context) > budget_chars:
            context = context[:budget_chars] + "\n...[trimmed]..."
        todo = self.working.get("todo", [])
        if todo:
            context += "\n\n[RECITE -> do next] " + ", ".join(todo)
        return context
