"""A markdown file with a small header between two lines of `---`: facts and skills that a person can read and edit."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path

from memlab.memory.trust import USER, Provenance

_PLAIN = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9 _./-]*[A-Za-z0-9._/-])?")


def write(path: Path, header: Mapping[str, str], body: str) -> None:
    """Replace a file in one step, so that no reader sees half of it; values that could break the header are quoted."""
    lines = [
        f"{key}: {value if _PLAIN.fullmatch(value) else json.dumps(value)}" for key, value in header.items() if value
    ]
    replace(path, "\n".join(["---", *lines, "---", "", body, ""]))


def replace(path: Path, text: str) -> None:
    """Replace a text file in one step."""
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_name(path.name + ".new")
    fresh.write_bytes(text.encode("utf-8", "surrogatepass"))
    fresh.replace(path)


def read(path: Path) -> tuple[dict[str, str], str]:
    """Give a file's header and body; a file without a header is all body."""
    text = path.read_bytes().decode("utf-8", "surrogatepass").removeprefix("\ufeff")
    opening, _, rest = text.partition("\n")
    if opening.strip() != "---":
        return {}, text
    header: dict[str, str] = {}
    lines = rest.split("\n")
    for place, line in enumerate(lines):
        if line.strip() == "---":
            return header, "\n".join(lines[place + 1 :]).removeprefix("\n").removesuffix("\n")
        key, _, value = line.partition(":")
        header[key.strip()] = _value(value.strip())
    return {}, text


def header_of(origin: Provenance, rank: int) -> dict[str, str]:
    """Give the part of a header that says who wrote the file and how far that lineage is trusted."""
    restates = json.dumps(origin.derived_from) if origin.derived_from else ""
    said = {"source": origin.source, "session": origin.session, "time": repr(origin.time), "id": origin.id}
    return said | {"derived_from": restates, "rank": str(rank)}


def origin_of(header: Mapping[str, str], name: str) -> tuple[Provenance, int]:
    """Read what `header_of` wrote; a file that a person made by hand lacks it, and is the user's under its own name."""
    restates = tuple(json.loads(header.get("derived_from", "[]")))
    time, identity = float(header.get("time", 0)), header.get("id", name)
    origin = Provenance(header.get("source", "user"), header.get("session", ""), time, identity, restates)
    return origin, int(header.get("rank", USER))


def _value(text: str) -> str:
    if text.startswith('"'):
        try:
            return str(json.loads(text))
        except ValueError:
            return text.strip('"')
    return text
