"""Assumes that nothing is lost if a rewrite appends to the page.

Instead in: published.py
Loses: write/rewrites-the-page-of-a-name, recall/gives-the-body-whole-and-newest
"""


def write_memory(name: str, description: str, mtype: str, body: str) -> None:
    MEM_DIR.mkdir(exist_ok=True)
    path = MEM_DIR / f"{name}.md"
    with path.open("a", encoding="utf-8") as file:
        file.write("---\n")
        file.write(f"name: {name}\n")
        file.write(f"description: {description}\n")
        file.write(f"type: {mtype}\n")
        file.write("---\n\n")
        file.write(body.strip() + "\n")
    rows = dict(_index_rows())
    rows[name] = description
    INDEX.write_text("".join(f"- [{key}]({key}.md) -- {rows[key]}\n" for key in rows), encoding="utf-8")
    print(f"wrote {path}")
