"""Assumes that the best match is an answer, even if it shares no word with the question.

Instead in: published.py
Loses: recall/gives-none-where-nothing-matches, recall/reads-the-descriptions-only, gate/gives-none-for-nothing,
recall/reads-the-index-as-it-is-now
"""


def recall(query: str) -> str | None:
    rows = _index_rows()
    if not rows:
        return None
    best, _ = max(rows, key=lambda row: len(_words(query) & _words(row[1])))
    return (MEM_DIR / f"{best}.md").read_text(encoding="utf-8").split("---", 2)[2].strip()
