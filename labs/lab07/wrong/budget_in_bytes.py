"""Assumes that a character is a byte.

Instead in: published.py
Loses: trim/characters-are-counted
"""


class MemoryMix:
    def assemble(self, task: str, budget_chars: int = 1200) -> str:
        context = "\n\n".join(self._parts(task))
        if len(context.encode()) > budget_chars:
            half = budget_chars // 2
            context = context[:half] + "\n...[trimmed]...\n" + context[-half:]
        if todo := self.working.get("todo", []):
            context += "\n\n[RECITE -> do next] " + ", ".join(todo)
        return context
