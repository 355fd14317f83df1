"""The user's page of document 004, which calls it MEMORY.md: read at each prompt, and injected verbatim."""

from __future__ import annotations

from pathlib import Path

from memlab.systems.documents.parts.records import Records

PAGE = "profile.md"
"""The page's file. memlab calls it so, because MEMORY.md is the index of its own fact files."""


class Profile:
    """A markdown page with a heading and list items for each section; people may edit it at any time."""

    def __init__(self, directory: Path) -> None:
        self._path = directory / PAGE
        self._names = Records(directory / "names.jsonl")
        self._text = ""
        self._read_at = -1

    def text(self) -> str:
        """Return the page; it is read again only if its file has changed."""
        if self._path.exists() and (changed := self._path.stat().st_mtime_ns) != self._read_at:
            self._text, self._read_at = self._path.read_text(encoding="utf-8"), changed
        return self._text

    def items(self) -> list[str]:
        """Return the list items of the page without their bullets."""
        return [line.removeprefix("- ") for line in self.text().splitlines() if line and not line.startswith("#")]

    def put(self, section: str, name: str, item: str) -> None:
        """Add an item at the end of a section, in the place of the one of the same name; an empty one removes it."""
        lines, heading = self.text().splitlines(), f"## {section}"
        old = self._names.get(name, {}).get("line")
        place = lines.index(old) if old in lines else -1
        if place >= 0:
            del lines[place]
        if item:
            self._names[name] = {"line": f"- {item}"}
            if place < 0:
                place = _end_of(lines, heading)
            lines.insert(place, f"- {item}")
        self.write("\n".join(lines))

    def write(self, text: str) -> None:
        """Overwrite the page."""
        self._path.write_text(text.strip() + "\n", encoding="utf-8", errors="replace")
        self._read_at = -1


def _end_of(lines: list[str], heading: str) -> int:
    """Return the place after the last item of a section; add its heading if there is none."""
    if heading not in lines:
        lines += ["", heading] if lines else [heading]
        return len(lines)
    place = lines.index(heading) + 1
    while place < len(lines) and lines[place] and not lines[place].startswith("#"):
        place += 1
    return place
