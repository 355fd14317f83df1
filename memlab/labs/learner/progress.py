"""How far a learner is: which steps hold and which hints are open, kept in a small file beside their work."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path

FILE = ".memlab-lab.json"


@dataclass
class Progress:
    """The steps of one lab that hold, how many hints of each step are open, and by step what its chart showed."""

    held: list[str] = field(default_factory=list)
    hints: dict[str, int] = field(default_factory=dict)
    charts: dict[str, dict[str, float]] = field(default_factory=dict)

    def hold(self, step: str) -> None:
        """Note that a step holds."""
        if step not in self.held:
            self.held.append(step)

    def reopen(self, step: str) -> None:
        """Note that a step does not hold (any more)."""
        if step in self.held:
            self.held.remove(step)

    def open_hint(self, step: str, most: int) -> int:
        """Open one more hint of a step that has `most`; give its number, which is above `most` once all are open."""
        number = self.hints.get(step, 0) + 1
        self.hints[step] = min(number, most)
        return number

    def forget(self, step: str) -> None:
        """Begin a step again: it is open, and its hints are closed."""
        self.reopen(step)
        self.hints.pop(step, None)


def read(folder: Path, lab: str, warn: Callable[[str], None]) -> Progress:
    """Read the progress in a lab ("06") that is kept in a folder; there may be none.

    A file that cannot be understood is put aside, which `warn` is told.
    """
    return _all(folder, warn).get(lab, Progress())


def write(folder: Path, lab: str, progress: Progress) -> None:
    """Keep the progress in a lab, beside that in others; the file is never half written. Raises OSError."""
    known = _all(folder, lambda _: None) | {lab: progress}
    new = folder / f"{FILE}.new"
    text = json.dumps({name: asdict(one) for name, one in sorted(known.items())}, indent=2)
    new.unlink(missing_ok=True)  # a link that lies there is not followed
    with new.open("x", encoding="utf-8") as file:
        file.write(text + "\n")
    os.replace(new, folder / FILE)  # noqa: PTH105 - atomic on every system


def free(folder: Path, stem: str, suffix: str) -> Path:
    """Find a name that nothing in a folder has: stem-1.py, stem-2.py and so on."""
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
        aside = free(folder, f"{FILE.removesuffix('.json')}-spoiled", ".json")
        path.rename(aside)
        warn(f"{path} could not be understood and is now {aside.name}: `memlab lab check` finds again what holds.")
        return {}


def _progress(kept: dict[str, object]) -> Progress:
    """Read what is kept of one lab. Raises ValueError, KeyError, AttributeError or TypeError for anything else."""
    held, hints, charts = kept["held"], kept["hints"], kept.get("charts", {})
    if not isinstance(held, list) or not isinstance(hints, dict) or not isinstance(charts, dict):
        raise TypeError(kept)
    counts = all(type(number) is int and number >= 0 for number in hints.values())
    if not counts or not all(isinstance(one, str) for one in [*held, *hints]):
        raise TypeError(kept)
    shares = {step: {name: float(share) for name, share in one.items()} for step, one in charts.items()}
    return Progress(held, hints, shares)
