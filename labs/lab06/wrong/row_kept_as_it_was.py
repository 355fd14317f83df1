"""Assumes that a name in the index needs no new row, even if its description has changed.

Instead in: published.py
Loses: write/keeps-one-row-for-each-name
"""


def write_memory(name: str, description: str, mtype: str, body: str) -> None:
    if not MEM_DIR.exists():
        MEM_DIR.mkdir()
    page = f"---\nname: {name}\ndescription: {description}\ntype: {mtype}\n---\n\n{body.strip()}\n"
    Path(f"memory/{name}.md").write_text(page, encoding="utf-8")
    index = INDEX.read_text(encoding="utf-8") if INDEX.exists() else ""
    if f"- [{name}]" not in index:
        INDEX.write_text(f"{index}- [{name}]({name}.md) -- {description}\n", encoding="utf-8")
    print(f"wrote memory/{name}.md")
