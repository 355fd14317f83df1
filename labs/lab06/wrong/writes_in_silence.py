"""Assumes that a program that does its work says nothing.

Instead in: published.py
Loses: write/says-what-it-wrote, stale/writes-the-stale-fact
"""


def write_memory(name: str, description: str, mtype: str, body: str) -> None:
    MEM_DIR.mkdir(exist_ok=True)
    header = f"---\nname: {name}\ndescription: {description}\ntype: {mtype}\n---\n\n"
    (MEM_DIR / f"{name}.md").write_text(header + body.strip() + "\n", encoding="utf-8")
    rows = INDEX.read_text(encoding="utf-8").splitlines() if INDEX.exists() else []
    others = [row for row in rows if not row.startswith(f"- [{name}](")]
    INDEX.write_text("\n".join([*others, f"- [{name}]({name}.md) -- {description}"]) + "\n", encoding="utf-8")
    print("ok")
