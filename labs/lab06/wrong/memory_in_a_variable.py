"""Assumes that a variable is a memory, and that the files are only output.

Instead in: published.py
Loses: recall/gives-the-body, recall/reads-the-page-as-it-is-now, recall/reads-the-index-as-it-is-now
"""

notes: dict[str, tuple[str, str]] = {}


def write_memory(name: str, description: str, mtype: str, body: str) -> None:
    notes[name] = (description, body.strip())
    MEM_DIR.mkdir(exist_ok=True)
    header = f"---\nname: {name}\ndescription: {description}\ntype: {mtype}\n---\n"
    (MEM_DIR / f"{name}.md").write_text(f"{header}\n{body.strip()}\n", encoding="utf-8")
    INDEX.write_text("".join(f"- [{one}]({one}.md) -- {notes[one][0]}\n" for one in notes), encoding="utf-8")
    print(f"wrote memory/{name}.md")


def recall(query: str) -> str | None:
    found = None
    most = 0
    for description, body in notes.values():
        if _score(query, description) > most:
            found, most = body, _score(query, description)
    return found
