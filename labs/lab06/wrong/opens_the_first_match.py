"""Assumes that the first row that shares a word with the question is the best one.

Instead in: published.py
Loses: recall/opens-the-best-match
"""


def recall(query: str) -> str | None:
    for name, description in _index_rows():
        if _words(query) & _words(description):
            text = (MEM_DIR / f"{name}.md").read_text(encoding="utf-8")
            return text.split("---", 2)[2].strip()
    return None
