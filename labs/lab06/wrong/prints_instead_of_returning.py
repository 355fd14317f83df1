"""Assumes that printing a value returns it.

Instead in: published.py
Loses: recall/gives-the-body, recall/opens-the-best-match, recall/reads-the-descriptions-only,
recall/gives-the-body-whole-and-newest, recall/reads-the-page-as-it-is-now, gate/serves-what-reality-confirms,
gate/withholds-the-stale-fact-and-prints-why, gate/looks-again-each-time, recall/one-shared-word-is-enough,
recall/reads-the-index-as-it-is-now
"""


def recall(query: str) -> str | None:
    best_name = None
    best_score = 0
    for name, description in _index_rows():
        score = len(_words(query) & _words(description))
        if score > best_score:
            best_name = name
            best_score = score
    if best_name is None:
        return None
    page = (MEM_DIR / f"{best_name}.md").read_text(encoding="utf-8")
    print(page.split("---", 2)[2].strip())
