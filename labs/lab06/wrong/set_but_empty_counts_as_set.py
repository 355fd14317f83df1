"""Assumes that a variable that exists is set, even if it is empty.

Instead in: published.py
Loses: verify/looks-for-variables
"""


def verify_before_trust(memory: str) -> tuple[bool, list[str]]:
    problems = []
    for path in PATH_RE.findall(memory):
        if not Path(path).exists():
            problems.append(f"path does not exist: {path}")
    for name in ENV_RE.findall(memory):
        if name not in os.environ:
            problems.append(f"env var is not set: {name}")
    for flag in FLAG_RE.findall(memory):
        if _help_lacks(flag, memory):
            problems.append(f"flag is not in the help: {flag}")
    return not problems, problems
