"""Assumes that the recital is a section like the others, and trims it with them.

Instead in: published.py
Loses: trim/the-recital-is-not-trimmed
"""


class MemoryMix:
    def assemble(self, task: str, budget_chars: int = 1200) -> str:
        context = "\n\n".join(self._parts(task))
        if todo := self.working.get("todo", []):
            context += "\n\n[RECITE -> do next] " + ", ".join(todo)
        if len(context) > budget_chars:
            half = budget_chars // 2
            context = context[:half] + "\n...[trimmed]...\n" + context[-half:]
        return context
