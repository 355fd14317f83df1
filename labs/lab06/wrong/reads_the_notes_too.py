"""Assumes that recall also compares the question with the bodies.

Instead in: published.py
Loses: recall/reads-the-descriptions-only, recall/reads-the-index-as-it-is-now
"""


def recall(query: str) -> str | None:
    best, most = None, 0
    for name, _ in _index_rows():
        text = (MEM_DIR / f"{name}.md").read_text(encoding="utf-8")
        shared = len(_words(query) & _words(text))
        if shared > most:
            best, most = text, shared
    return best.split("---", 2)[2].strip() if best else None
