"""Assumes that an error undoes what was done before it.

Instead in: solution.py
Loses: names/stay-in-the-folder, names/of-any-letters-stay-in-the-folder
"""


def write_memory(
    name: str, description: str, mtype: str, body: str, *, source: str = "user", session: str | None = None
) -> None:
    page = page_of(name)
    check_rank(name, source)
    labels = {"name": name, "description": description, "type": mtype}
    labels |= {} if source == "user" else {"source": source if source == one_line(source) != "" else "unknown"}
    labels |= {"session": session} if session else {}
    header = "".join(f"{label}: {one_line(value)}\n" for label, value in labels.items())
    text = f"---\n{header}---\n\n{body.strip()}\n".encode()
    MEM_DIR.mkdir(exist_ok=True)
    if "/" not in name and name.casefold() != "memory":
        keep_old(name)
        page.write_bytes(text)
    slug(name)
    write_index({**rows(), name: one_line(description)})
    print(f"wrote {page}")
