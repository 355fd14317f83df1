"""Assumes that a write only appends a row; the earlier row of the name stays in the index.

Instead in: published.py
Loses: write/keeps-one-row-for-each-name, stale/can-be-planted-twice
"""


def write_memory(name: str, description: str, mtype: str, body: str) -> None:
    MEM_DIR.mkdir(exist_ok=True)
    path = MEM_DIR / f"{name}.md"
    labels = f"name: {name}\ndescription: {description}\ntype: {mtype}\n"
    path.write_text(f"---\n{labels}---\n\n{body.strip()}\n", encoding="utf-8")
    with INDEX.open("a", encoding="utf-8") as index:
        index.write(f"- [{name}]({name}.md) -- {description}\n")
    print(f"wrote {path}")
