"""Assumes that nobody else writes the index while the program runs.

Instead in: published.py
Loses: recall/reads-the-index-as-it-is-now
"""

_ROWS: dict[str, str] = {}


def write_memory(name: str, description: str, mtype: str, body: str) -> None:
    _index_rows()
    MEM_DIR.mkdir(exist_ok=True)
    path = MEM_DIR / f"{name}.md"
    header = f"---\nname: {name}\ndescription: {description}\ntype: {mtype}\n---\n\n"
    path.write_text(header + body.strip() + "\n", encoding="utf-8")
    _ROWS[name] = description
    pointers = [f"- [{one}]({one}.md) -- {text}" for one, text in _ROWS.items()]
    INDEX.write_text("\n".join(pointers) + "\n", encoding="utf-8")
    print(f"wrote {path}")


def _index_rows() -> list[tuple[str, str]]:
    if not _ROWS and INDEX.exists():
        _ROWS.update(re.findall(r"^- \[(.+?)\]\(.+?\) -- (.+)$", INDEX.read_text(encoding="utf-8"), re.MULTILINE))
    return [*_ROWS.items()]
