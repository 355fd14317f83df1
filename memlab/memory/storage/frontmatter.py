"""A markdown file with a small header between two lines of `---`: a skill that a person can read and edit.

    ---
    name: deploy-page
    description: how the page is deployed
    metadata:
      source: user
      session: s1
    ---

    The body, in markdown.

A header is a flat dict here: a field of a map is named by the map and a dot (`metadata.source`). `render` writes YAML
that any reader of the Agent Skills convention understands. `parse` reads text, quoted or not, which may continue in
indented lines, and lists, whose items it joins with commas.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from math import isfinite
from pathlib import Path

from memlab.memory.storage.folder import decode
from memlab.memory.trust import USER, Provenance
from memlab.memory.trust import rank as rank_of

_PLAIN = re.compile(r"(?!(?i:true|false|null|yes|no|on|off|y|n)$)[^\W\d_](?:[\w ,.'()/+-]*[\w.)/+-])?")
_FIELD = re.compile(r"(?P<indent>\s*)(?P<key>[A-Za-z_][\w-]*):(?:\s+(?P<value>.*))?")
_FOLDED = {">", "|", ">-", "|-"}


def read(path: Path) -> tuple[dict[str, str], str]:
    """Return a file's header and body. Raises OSError if it cannot be read; any content is accepted."""
    return parse(decode(path.read_bytes()))


def render(header: Mapping[str, str], body: str) -> str:
    """Return a file's text: fields without a value are left out, and values that could break the header are quoted."""
    lines, current_map = ["---"], ""
    for field, value in sorted(header.items(), key=lambda item: item[0].rpartition(".")[0]):
        parent, _, key = field.rpartition(".")
        if value:
            text = value if _PLAIN.fullmatch(value) else json.dumps(value, ensure_ascii=not value.isprintable())
            lines += [f"{parent}:"] if parent != current_map else []
            lines.append(f"{'  ' if parent else ''}{key}: {text}")
            current_map = parent
    return "\n".join([*lines, "---", "", body, ""])


def parse(text: str) -> tuple[dict[str, str], str]:
    """Split a file's text into header and body; `parse(render(header, body))` returns (header, body).

    A text without a header is all body. A line of the header that is no field is put before the body, so that nothing
    is lost.
    """
    opening, _, rest = text.partition("\n")
    if opening.endswith("\r"):
        rest = rest.replace("\r\n", "\n")
    lines = rest.split("\n")
    end = next((number for number, line in enumerate(lines) if line.rstrip() == "---"), None)
    if opening.rstrip() != "---" or end is None:
        return {}, text
    header, others = _fields(lines[:end])
    body = "\n".join(lines[end + 1 :]).removeprefix("\n").removesuffix("\n")
    return header, "\n".join([*others, "", body]) if others else body


def _fields(lines: list[str]) -> tuple[dict[str, str], list[str]]:
    """Return the fields of a header's lines, and the lines that are no field."""
    header: dict[str, str] = {}
    others: list[str] = []
    last, parent = "", ""  # the field that an indented line continues, and the map that it may be a field of
    for line in filter(str.strip, lines):
        field = _FIELD.fullmatch(line)
        indented = line[0].isspace()
        key = f"{parent}.{field['key']}" if field and indented and parent else field["key"] if field else ""
        if field and key not in header and (parent or not indented):
            value = (field["value"] or "").strip()
            parent = parent if indented else key if not value else ""
            last = "" if parent == key else key
            if last:
                header[key] = "" if value in _FOLDED else _parse_value(value)
        elif parent and not last and line.lstrip().startswith("- "):
            header[parent] = ", ".join(filter(None, [header.get(parent, ""), _parse_value(line.strip()[2:].strip())]))
        elif indented and last:
            header[last] = f"{header[last]} {line.strip()}".strip()
        else:
            others.append(line)
    return header, others


def header_of(origin: Provenance, rank: int) -> dict[str, str]:
    """Return the header fields of the provenance and its rank, all under `metadata`."""
    fields = {
        "source": origin.source or "unknown",
        "session": origin.session,
        "time": repr(origin.time),
        "quote": origin.quote,
        "id": origin.id,
        "derived_from": json.dumps(origin.derived_from) if origin.derived_from else "",
        "rank": str(rank),
    }
    return {f"metadata.{key}": value for key, value in fields.items()}


def origin_of(header: Mapping[str, str], name: str) -> tuple[Provenance, int]:
    """Read the provenance and the rank that `header_of` wrote; a value that cannot be read counts as missing.

    Without them the source is the user, the id the file's name, and the rank that of the source.
    """
    fields = {key.removeprefix("metadata."): value for key, value in header.items() if key.startswith("metadata.")}
    source, rank = fields.get("source", "user"), fields.get("rank", "")
    time, lineage = parse_number(fields.get("time", "")), _parse_ids(fields.get("derived_from", ""))
    identity, session, quote = fields.get("id", name), fields.get("session", ""), fields.get("quote", "")
    origin = Provenance(source, session, time, identity, lineage, quote)
    return origin, int(rank) if rank in {str(known) for known in range(USER + 1)} else rank_of(source)


def _parse_value(text: str) -> str:
    if text.startswith('"'):
        try:
            return str(json.loads(text))
        except ValueError:
            return text.strip('"')
    if text.startswith("'") and text.endswith("'") and text != "'":
        return text[1:-1].replace("''", "'")
    return text


def parse_number(text: str) -> float:
    """Return the number in a text; 0 if there is none, or it is not finite."""
    try:
        return float(text) if isfinite(float(text)) else 0.0
    except ValueError:
        return 0.0


def _parse_ids(text: str) -> tuple[str, ...]:
    try:
        ids = json.loads(text)
    except ValueError:
        return ()
    return tuple(map(str, ids)) if isinstance(ids, list) else ()
