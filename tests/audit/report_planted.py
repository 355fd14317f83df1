"""Prints what the audit finds of what was planted, and its time for 10,000 statements."""

from __future__ import annotations

import os
import time
from collections import Counter
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

from planted import PROJECTS, THINGS, TOPICS, plant, statements, write_sources

from memlab.audit.audit import audit

STATEMENTS = 10_000


def main() -> None:
    with TemporaryDirectory() as folder:
        _print_found(Path(folder))
    with TemporaryDirectory() as folder:
        _print_time(Path(folder))


def _print_found(folder: Path) -> None:
    """Print how many findings of each kind were planted and found, and how many are right."""
    key = Counter(plant(folder))
    found = Counter((one.kind, one.file, one.line) for one in audit(folder).findings)
    print(f"{'kind':16}{'planted':>8}{'found':>8}{'right':>8}{'precision':>11}{'recall':>8}")
    for kind in sorted({place[0] for place in key | found}):
        of_kind = [Counter({place: n for place, n in places.items() if place[0] == kind}) for places in (key, found)]
        planted, all_found, right = of_kind[0].total(), of_kind[1].total(), (of_kind[0] & of_kind[1]).total()
        shares = f"{right / (all_found or 1):>11.0%}{right / (planted or 1):>8.0%}"
        print(f"{kind:16}{planted:>8}{all_found:>8}{right:>8}{shares}")


def _print_time(folder: Path) -> None:
    """Print the time for many statements about many projects, in one file."""
    names = (f"{thing}{topic}".title() for thing in THINGS for topic in TOPICS)
    rows = ((kind, text.replace(PROJECTS[0], name)) for name in names for kind, text in statements(0, records=True))
    kinds, texts = zip(*islice(rows, STATEMENTS), strict=True)
    write_sources(folder)
    path = folder / "memories" / "notes.md"
    path.parent.mkdir()
    path.write_text("".join(f"- {text}\n" for text in texts), encoding="utf-8")
    wall, processor = time.perf_counter(), time.process_time()
    found = len(audit(folder).findings)
    spent = f"{time.perf_counter() - wall:.1f} s, {time.process_time() - processor:.1f} s of processor time"
    planted = sum(map(bool, kinds))
    print(f"{STATEMENTS:,} statements: {spent}, {found:,} findings of {planted:,}; load {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
