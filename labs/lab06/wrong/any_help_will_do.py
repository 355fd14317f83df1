"""Assumes that a flag of one command is a flag of every command.

Instead in: published.py
Loses: verify/looks-for-flags
"""


def _help_lacks(flag: str, memory: str) -> bool:
    known = " ".join(HELP.values())
    return bool(known) and flag not in known.split()
