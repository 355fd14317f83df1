"""Gives prompts, rules and episodes that are as long as may be given, and slow to look through.

Attack: 11
Behind: solution.py
Tasks: assemble, trim
Keeps: none
Status: ok or crashed or timeout
Limits: 1
"""

MemoryMix.assemble = lambda self, task, budget_chars=1200: "[RULES]\n" * 50_000 + "\ufdfa" * 50_000 + " " * 100_000
