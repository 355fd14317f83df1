"""Assumes that a flag is known if its letters occur anywhere in the help text.

Instead in: solution.py
Loses: guard/reads-the-help-word-by-word
"""


def verify_before_trust(memory: str) -> tuple[bool, list[str]]:
    problems, notes = [], []
    for path in paths(memory):
        if is_outside(path):
            notes.append(path)
        elif not resolve(path):
            problems.append(f"path does not exist: {path}")
    for name in variables(memory):
        if not os.environ.get(name):
            problems.append(f"env var is not set: {name}")
    for flag in FLAG.findall(memory):
        if not help_for(memory):
            notes.append(flag)
        elif flag not in help_for(memory):
            problems.append(f"flag is not in the help: {flag}")
    for thing in [] if problems else notes:
        print(f"note: {thing} cannot be checked here")
    return not problems, problems
