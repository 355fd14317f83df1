"""Assumes that the surest help of a command is what the command itself prints.

Instead in: solution.py
Loses: guard/what-is-missing-is-not-promoted, guard/what-is-there-is-promoted, guard/the-prompt-is-checked-too
"""

import subprocess


def known_flags(text: str) -> set[str] | None:
    commands = [command for command in HELP if re.search(rf"(?<![\w-]){re.escape(command)}(?![\w-])", text)]
    pages = [subprocess.run([one, "--help"], capture_output=True, text=True, check=False).stdout for one in commands]
    return {flag for page in pages for flag in FLAG_RE.findall(page)} if pages else None
