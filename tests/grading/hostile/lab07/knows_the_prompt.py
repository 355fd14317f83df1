"""Knows the published prompt by heart: the one that stands on the lab's page.

Attack: known examples
Behind: constant_stub.py
Tasks: all
Keeps: at most 10 %
"""

RULES = """# Agent rules (procedural memory)
- Prefer pnpm. Never mix package managers.
- Before acting on a memory that names a file or a flag, see that it exists.
- Ship only when the smoke test on the live page is green."""
PROMPT = f"""[RULES]
{RULES}

[FACTS]
Run scripts/deploy.sh from the repo root.

[RECENT]
deploy: shipped labs v1 to prod, smoke green

[WORKING] task=ship the labs page
todo: build, smoke test, deploy

[RECITE -> do next] build, smoke test, deploy"""


def fixed(self, *args, **named):
    self.working = {"task": "ship the labs page", "todo": ["build", "smoke test", "deploy"], "session": None}


MemoryMix.set_task = fixed
MemoryMix.rules = lambda self: RULES
MemoryMix.assemble = lambda self, task, budget_chars=1200: PROMPT[:budget_chars]
MemoryMix.episodes = lambda self: [{"kind": "deploy", "detail": "shipped labs v1 to prod, smoke green"}]
MemoryMix.promote_recurring = lambda self, min_count=2: [("learned-1", "prefer pnpm", min_count)]
