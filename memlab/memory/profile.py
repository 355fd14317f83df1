"""The user's own page, profile.md: a person edits it freely, a model only by edits that lose nothing."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import unified_diff
from pathlib import Path

from memlab.memory.storage.folder import read_text, replace_file
from memlab.memory.storage.lock import Lock
from memlab.memory.text import Refused, fold, to_bytes

MOST_DELETIONS = 1
PINNED = "## pinned"
"""The heading of the section that only a person changes."""


@dataclass(frozen=True, slots=True)
class Edit:
    """A proposed change: the page before and after it, and the changes that are refused, each with the reason."""

    before: str
    after: str
    refused: tuple[str, ...] = ()

    @property
    def diff(self) -> str:
        """The change as a unified diff, for a person to read; empty if nothing changes."""
        before, after = self.before.splitlines(), self.after.splitlines()
        return "\n".join(unified_diff(before, after, "profile.md", "profile.md", lineterm=""))


def safe_changes(
    old: Sequence[str], new: Sequence[str], by_model: Collection[str], quotes: Mapping[str, str], session: str
) -> tuple[list[str], list[str], list[str]]:
    """Return the lines that a safe edit of a page removes and adds, and the changes that are refused, with reasons.

    See Profile.propose. `by_model` are the lines that accepted edits added: a person wrote all others.
    """
    removed, added, refused, pinned = list[str](), list[str](), list[str](), set(_pinned(old))
    for line in old:
        if not line.strip() or line in new:
            continue
        if line in pinned or line not in by_model:
            refused.append(f"{line}: {'it is pinned' if line in pinned else 'a person wrote it'}, so it stays")
        elif len(removed) == MOST_DELETIONS:
            refused.append(f"{line}: an edit removes at most {MOST_DELETIONS} line")
        else:
            removed.append(line)
    for line in new:
        if line.strip() and line not in old:
            quote = quotes.get(line, "").strip()
            if quote and quote in session:
                added.append(line)
            else:
                refused.append(f"{line}: its quote {quote!r} is not in the session")
    return removed, added, refused


class Profile:
    """profile.md in a directory. Pages that an edit replaced are kept in profile.old, numbered from 1.

    A line belongs to a person unless an accepted edit added it (profile.old/added.txt lists these).
    """

    def __init__(self, directory: Path, *, links: bool = False) -> None:
        self.path = directory / "profile.md"
        self._old = directory / "profile.old"
        self._lock = Lock(self.path, links=links)

    def text(self) -> str:
        """Return the page; empty if there is none."""
        return read_text(self.path)

    def propose(self, page: str, quotes: Mapping[str, str], session: str) -> Edit:
        """Return the part of a proposed page that is safe, as an edit of the current one.

        A line is added if `quotes` holds, word for word, what was said in the session for it; it goes before the pinned
        section. At most one line is removed, none that a person wrote and none that is pinned.
        """
        before = self.text()
        added_before = read_text(self._old / "added.txt").splitlines()
        lines, proposed = before.splitlines(), page.splitlines()
        removed, added, refused = safe_changes(lines, proposed, added_before, quotes, session)
        kept = lines.copy()
        for line in removed:
            kept.remove(line)
        place = next((number for number, line in enumerate(kept) if fold(line) == fold(PINNED)), len(kept))
        after = "".join(f"{line}\n" for line in (*kept[:place], *added, *kept[place:]))
        return Edit(before, after if removed or added else before, tuple(refused))

    def accept(self, edit: Edit) -> None:
        """Write the page of an edit, and keep the old one. Raises Refused if the page has changed since."""
        with self._lock:
            if self.text() != edit.before:
                raise Refused("profile.md: it has changed since this edit was proposed; propose it again")
            if edit.after == edit.before:
                return
            numbers = (int(page.stem) for page in self._old.glob("*.md") if re.fullmatch("[0-9]+", page.stem))
            number = 1 + max(numbers, default=0)
            replace_file(self._old / f"{number:04}.md", [to_bytes(edit.before)])
            known, lines = read_text(self._old / "added.txt"), edit.before.splitlines()
            added = (f"{line}\n" for line in edit.after.splitlines() if line not in lines)
            replace_file(self._old / "added.txt", [to_bytes(known + "".join(added))])
            replace_file(self.path, [to_bytes(edit.after)])

    def close(self) -> None:
        """Close the lock file."""
        self._lock.close()


def _pinned(lines: Sequence[str]) -> Iterator[str]:
    """Yield the lines of the pinned section, its heading included."""
    inside = False
    for line in lines:
        if line.startswith("## "):
            inside = fold(line) == fold(PINNED)
        if inside:
            yield line
