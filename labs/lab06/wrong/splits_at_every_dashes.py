"""Assumes that three dashes only occur at the header, so that a split gives three parts.

Instead in: published.py
Loses: recall/gives-the-body-whole-and-newest
"""


def recall(query: str) -> str | None:
    scores = [(_score(query, description), name) for name, description in _index_rows()]
    most, best = max(scores, default=(0, ""))
    if most == 0:
        return None
    text = (MEM_DIR / f"{best}.md").read_text(encoding="utf-8")
    return text.split("---")[2].strip()
