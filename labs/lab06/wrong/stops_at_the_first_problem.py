"""Assumes that it is enough to report the first problem.

Instead in: published.py
Loses: verify/names-every-problem
"""


def verify_before_trust(memory: str) -> tuple[bool, list[str]]:
    for path in PATH_RE.findall(memory):
        if not Path(path).exists():
            return False, [f"path does not exist: {path}"]
    for name in ENV_RE.findall(memory):
        if not os.environ.get(name):
            return False, [f"env var is not set: {name}"]
    for flag in FLAG_RE.findall(memory):
        if _help_lacks(flag, memory):
            return False, [f"flag is not in the help: {flag}"]
    return True, []
