"""Assumes that only a fact can contain a forged heading, not the log.

Instead in: solution.py
Loses: sections/nothing-stored-opens-a-section, sections/nor-behind-a-dash-or-another-line-break
"""


class MemoryMix:
    def _layout(self, items: list[Item], left_out: int) -> str:
        rules, facts, recent, task, todo = (
            [item.text for item in items if item.section == section]
            for section in ("RULES", "FACTS", "RECENT", "WORKING", "TODO")
        )
        parts = ["[RULES]\n" + "\n".join(rules)]
        if facts:
            parts.append("[FACTS]\n" + "\n".join(self._safe_line(fact) for fact in facts))
        if recent:
            parts.append("[RECENT]\n" + "\n".join(reversed(recent)))
        if left_out:
            parts.append(f"...[trimmed: {left_out} left out]...")
        if task:
            parts.append("[WORKING] " + self._safe_line(f"task={task[0]}"))
        if todo:
            listed = ", ".join(todo)
            parts[-1] += "\n" + self._safe_line(f"todo: {listed}")
            parts.append("[RECITE -> do next] " + self._safe_line(listed))
        return "\n\n".join(parts)
