"""A markdown file with a small header between two lines of `---`: facts and skills that a person can read and edit.

    ---
    name: deploy-page
    description: how the page is deployed
    metadata:
      source: user
      session: s1
    ---

    The body, in markdown.

A header is a flat dict here: a field of a map carries the map's name and a dot (`metadata.source`), and maps go one
level deep. It is YAML that any reader of the Agent Skills convention understands; of YAML we read what people write by
hand: text, quoted or not, which may go on in indented lines, and the items of a list, told with commas between them.
Comments are lines that are no field.
"""

from __future__ import annotations

import codecs
import json
import os
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from math import isfinite
from pathlib import Path

from memlab.memory.storage.lock import with_advice
from memlab.memory.trust import USER, Provenance
from memlab.memory.trust import rank as rank_of

_PLAIN = re.compile(r"(?!(?i:true|false|null|yes|no|on|off|y|n)$)[^\W\d_](?:[\w ,.'()/+-]*[\w.)/+-])?")
_FIELD = re.compile(r"(?P<indent>\s*)(?P<key>[A-Za-z_][\w-]*):(?:\s+(?P<value>.*))?")
_FOLDED = {">", "|", ">-", "|-"}


def write(path: Path, header: Mapping[str, str], body: str) -> None:
    """Replace a file in one step, so that no reader sees half of it."""
    replace(path, render(header, body))


def replace(path: Path, text: str) -> None:
    """Replace a text file in one step, which a power cut does not halve: its new text is on the disk by then.

    Where a link stands, the file that it leads to is replaced. Raises OSError, which names the file and the next step:
    then it is as it was.
    """
    path = Path(os.path.realpath(path))
    fresh = path.with_name(path.name + ".new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with fresh.open("wb") as file:
            file.write(text.encode("utf-8", "surrogatepass"))
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(path)
    except OSError as error:
        fresh.unlink(missing_ok=True)
        raise with_advice(error, path, "the file stays as it was; free space or make the folder writable") from error


def read(path: Path) -> tuple[dict[str, str], str]:
    """Give a file's header and body. Raises OSError if it cannot be read, and nothing for what stands in it."""
    return parse(decode(path.read_bytes()))


def decode(data: bytes) -> str:
    """Give the text of a file: UTF-8, or UTF-16 behind its mark, or else Latin-1, as old editors write."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) and not len(data) % 2:
        return data.decode("utf-16", "surrogatepass")
    try:
        return data.decode("utf-8", "surrogatepass").removeprefix("\ufeff")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def render(header: Mapping[str, str], body: str) -> str:
    """Compose a file: fields without a value are left out, and values that could break the header are quoted."""
    lines, opened = ["---"], ""
    for field, value in sorted(header.items(), key=lambda one: "." in one[0]):
        above, _, key = field.rpartition(".")
        if value:
            lines += [f"{above}:"] if above != opened else []
            lines.append(f"{'  ' if above else ''}{key}: {_quoted(value)}")
            opened = above
    return "\n".join([*lines, "---", "", body, ""])


def parse(text: str) -> tuple[dict[str, str], str]:
    """Take a file apart into header and body; `parse(render(header, body))` gives back what was rendered.

    What has no header is all body, and a line of a header that is no field stands before the body: nothing is lost.
    """
    opening, _, rest = text.partition("\n")
    if opening.endswith("\r"):
        rest = rest.replace("\r\n", "\n")
    lines = rest.split("\n")
    end = next((place for place, line in enumerate(lines) if line.rstrip() == "---"), None)
    if opening.rstrip() != "---" or end is None:
        return {}, text
    header, odd = _fields(lines[:end])
    body = "\n".join(lines[end + 1 :]).removeprefix("\n").removesuffix("\n")
    return header, "\n".join([*odd, "", body]) if odd else body


def _fields(lines: list[str]) -> tuple[dict[str, str], list[str]]:
    """Read a header's lines; give its fields, and the lines that are none."""
    header: dict[str, str] = {}
    odd: list[str] = []
    last, above = "", ""  # the field that an indented line goes on with, and the map that it would be a field of
    for line in filter(str.strip, lines):
        found = _FIELD.fullmatch(line)
        indented = line[0].isspace()
        key = f"{above}.{found['key']}" if found and indented and above else found["key"] if found else ""
        if found and key not in header and (above or not indented):
            value = (found["value"] or "").strip()
            above = above if indented else key if not value else ""
            last = "" if above == key else key
            if last:
                header[key] = "" if value in _FOLDED else _value(value)
        elif above and not last and line.lstrip().startswith("- "):
            header[above] = ", ".join(filter(None, [header.get(above, ""), _value(line.strip()[2:].strip())]))
        elif indented and last:
            header[last] = f"{header[last]} {line.strip()}".strip()
        else:
            odd.append(line)
    return header, odd


def header_of(origin: Provenance, rank: int) -> dict[str, str]:
    """Give the part of a header that says who wrote the file and how far that lineage is trusted, as `metadata`."""
    said = {
        "source": origin.source or "unknown",
        "session": origin.session,
        "time": _day(origin.time),
        "quote": origin.quote,
        "id": origin.id,
        "derived_from": json.dumps(origin.derived_from) if origin.derived_from else "",
        "rank": str(rank),
    }
    return {f"metadata.{key}": value for key, value in said.items()}


def origin_of(header: Mapping[str, str], name: str) -> tuple[Provenance, int]:
    """Read what `header_of` wrote; a file that a person made by hand lacks it, and is the user's under its own name.

    What cannot be read counts as not written; a source then has the rank of its own.
    """
    said = {key.removeprefix("metadata."): value for key, value in header.items() if key.startswith("metadata.")}
    source, written = said.get("source", "user"), said.get("rank", "")
    origin = Provenance(
        source,
        said.get("session", ""),
        _time(said.get("time", "")),
        said.get("id", name),
        _ids(said.get("derived_from", "")),
        said.get("quote", ""),
    )
    return origin, int(written) if written in {str(known) for known in range(USER + 1)} else rank_of(source)


def _quoted(value: str) -> str:
    return value if _PLAIN.fullmatch(value) else json.dumps(value, ensure_ascii=not value.isprintable())


def _value(text: str) -> str:
    if text.startswith('"'):
        try:
            return str(json.loads(text))
        except ValueError:
            return text.strip('"')
    if text.startswith("'") and text.endswith("'") and text != "'":
        return text[1:-1].replace("''", "'")
    return text


def _day(time: float) -> str:
    """Write a time so that a person can read it, if that says it to the last digit."""
    try:
        day = datetime.fromtimestamp(time, UTC).isoformat()
    except (ValueError, OverflowError, OSError):
        return repr(time)
    return day if _time(day) == time else repr(time)


def _time(text: str) -> float:
    try:
        return float(text) if isfinite(float(text)) else 0.0
    except ValueError:
        pass
    try:
        return datetime.fromisoformat(text).timestamp()
    except ValueError:
        return 0.0


def _ids(text: str) -> tuple[str, ...]:
    try:
        ids = json.loads(text)
    except ValueError:
        return ()
    return tuple(map(str, ids)) if isinstance(ids, list) else ()
