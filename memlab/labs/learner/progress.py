"""A learner's progress: the steps that pass and the hints that are open, in a small JSON file beside their work."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path

FILE = ".memlab-lab.json"


@dataclass
class Progress:
    """The passed steps of one lab, the number of open hints by step, and the values of its charts by step."""

    held: list[str] = field(default_factory=list)
    hints: dict[str, int] = field(default_factory=dict)
    charts: dict[str, dict[str, float]] = field(default_factory=dict)

    def mark_passed(self, step: str) -> None:
        """Add a step to those that pass."""
        if step not in self.held:
            self.held.append(step)

    def reopen(self, step: str) -> None:
        """Remove a step from those that pass."""
        if step in self.held:
            self.held.remove(step)

    def open_hint(self, step: str, most: int) -> int:
        """Open one more of the `most` hints of a step; return its number, or `most` + 1 if all are open."""
        number = self.hints.get(step, 0) + 1
        self.hints[step] = min(number, most)
        return number

    def forget(self, step: str) -> None:
        """Reset a step: it is open, and its hints are closed."""
        self.reopen(step)
        self.hints.pop(step, None)


def read(folder: Path, lab: str, warn: Callable[[str], None]) -> Progress:
    """Read the progress in a lab ("06"), if there is any; a corrupt file is renamed, and `warn` is called."""
    return _all(folder, warn).get(lab, Progress())


def write(folder: Path, lab: str, progress: Progress) -> None:
    """Write the progress in a lab, next to that in other labs; the file is replaced atomically. Raises OSError."""
    known = _all(folder, lambda _: None) | {lab: progress}
    new = folder / f"{FILE}.new"
    text = json.dumps({name: asdict(one) for name, one in sorted(known.items())}, indent=2)
    new.unlink(missing_ok=True)  # a link in its place is not followed
    with new.open("x", encoding="utf-8") as file:
        file.write(text + "\n")
    os.replace(new, folder / FILE)  # noqa: PTH105 - atomic on every system


def free_path(folder: Path, stem: str, suffix: str) -> Path:
    """Return the first unused path of stem-1.py, stem-2.py and so on."""
    number = 1
    while (folder / f"{stem}-{number}{suffix}").exists():
        number += 1
    return folder / f"{stem}-{number}{suffix}"


def _all(folder: Path, warn: Callable[[str], None]) -> dict[str, Progress]:
    path = folder / FILE
    try:
        return {lab: _progress(one) for lab, one in json.loads(path.read_text(encoding="utf-8")).items()}
    except FileNotFoundError:
        return {}
    except (ValueError, AttributeError, KeyError, TypeError, RecursionError):
        aside = free_path(folder, f"{FILE.removesuffix('.json')}-spoiled", ".json")
        path.rename(aside)
        warn(
            f"{path} is corrupt and was renamed to {aside.name}. Run `memlab lab check` to find again which steps pass."
        )
        return {}


def _progress(stored: dict[str, object]) -> Progress:
    """Parse the progress of one lab. Raises ValueError, KeyError, AttributeError or TypeError if it is invalid."""
    held, hints, charts = stored["held"], stored["hints"], stored.get("charts", {})
    if not isinstance(held, list) or not isinstance(hints, dict) or not isinstance(charts, dict):
        raise TypeError(stored)
    counts = all(type(number) is int and number >= 0 for number in hints.values())
    if not counts or not all(isinstance(one, str) for one in [*held, *hints]):
        raise TypeError(stored)
    shares = {step: {name: float(share) for name, share in one.items()} for step, one in charts.items()}
    return Progress(held, hints, shares)
