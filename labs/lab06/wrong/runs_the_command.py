"""Assumes that the surest help of a command is what the command itself prints.

Instead in: published.py
Loses: verify/looks-for-flags
"""

import subprocess


def _help_lacks(flag: str, memory: str) -> bool:
    commands = [command for command in HELP if command in memory.split()]
    pages = [subprocess.run([one, "--help"], capture_output=True, text=True, check=False).stdout for one in commands]
    return bool(pages) and all(flag not in page.split() for page in pages)
