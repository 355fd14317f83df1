"""Assumes that everything with the ending of a file is a local file, even in a URL.

Instead in: solution.py
Loses: guard/no-false-alarm
"""


def paths_in(text: str) -> list[str]:
    found = re.findall(r"[\w./-]+\.(?:sh|py|ya?ml|json|toml|md|txt|html|js|ts)\b", text)
    for chunk in CHUNK_RE.findall(text):
        if chunk.rstrip(".") in WHOLE_NAMES or chunk.startswith(("scripts/", "src/")):
            found.append(chunk.rstrip("."))
    return found
