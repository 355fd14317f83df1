"""Assumes that `$` matches at the end of a text only: it also matches before a newline there.

Instead in: solution.py
Loses: names/end-in-no-line-break
"""

SLUG = re.compile(r"^[a-z0-9]+(?:[-_][a-z0-9]+)*$")


def slug(name: str) -> str:
    if len(name) > LONGEST_NAME or not SLUG.match(name):
        raise ValueError(f"name {name[:LONGEST_NAME]!r}: use lowercase words joined by dashes, such as 'deploy-script'")
    if name == INDEX.stem.lower():
        raise ValueError(f"name {name!r}: this is the name of the index; choose another")
    return name
