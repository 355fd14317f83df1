"""Says the same whatever it is asked: every method of Lab 07, and no work behind any.

Attack: constant stub
Behind: nothing
Tasks: all
Keeps: at most 5 %
"""

HELP = {}


class MemoryMix:
    def __init__(self):
        self.working = {"task": "", "todo": [], "session": None}

    def set_task(self, task, todo, *, source="user", session=None):
        return None

    def check_off(self, item, *, source="user", session=None):
        return None

    def log_episode(self, kind, detail, *, source="user", session=None):
        return None

    def episodes(self):
        return []

    def write_fact(self, name, description, body, *, source="user", session=None):
        return None

    def rules(self):
        return "# Agent rules (procedural memory)"

    def assemble(self, task, budget_chars=1200):
        return "[RULES]\n# Agent rules (procedural memory)"

    def promote_recurring(self, min_count=2):
        return []
