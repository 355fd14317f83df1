"""What a resumed run takes over from an interrupted one: its options, in run.json, and its finished cells."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from memlab.harness.running.results import BadResults, key_digest, read_results
from memlab.harness.running.workers import Cell, Playable
from memlab.systems.child.confinement import Confinement
from memlab.systems.versions import memlab_version, versioned
from memlab.terms import Result

RUN = "run.json"
MOST_NAMED = 5
"""Values of an option that a message lists."""
_ELSEWHERE = "or start a new run: leave out --resume and choose another --out."
Options = Mapping[str, Sequence[str]]
"""The options that decide the results of a run, each with its values; how many processes play it is not one."""
Cells = list[list[Cell | None]]
"""For each round, the results of each system; None where they are missing."""
_OPTIONS = TypeAdapter(dict[str, list[str]])


def run_options(systems: Iterable[str], limit: float, confinement: Confinement) -> dict[str, list[str]]:
    """Return the options that all runs have, with the versions of memlab and of systems. Raises UnknownSystem."""
    preload = ("auto",) if confinement.preload is None else confinement.preload
    return {
        "the version of memlab": [memlab_version()],
        "--systems": versioned(systems),
        "--limit": [f"{limit:g}"],
        "--isolation": [confinement.level or "the best"],
        "--network": ["on" if confinement.network else "off"],
        "--preload": list(preload) or ["none"],
    }


def write_options(options: Options, folder: Path) -> None:
    """Write run.json. Raises OSError."""
    new = folder / f".{RUN}.new"
    new.write_text(json.dumps(options, indent=1) + "\n", encoding="utf-8")
    new.replace(folder / RUN)


def refuse_other_options(options: Options, folder: Path) -> None:
    """Raise BadResults if the run in a folder had other options, or did not record them."""
    before = _read_options(folder)
    for name in dict.fromkeys((*options, *before)):
        values, others = list(options.get(name, ())), before.get(name, [])
        if values != others:
            raise BadResults(
                f"{folder} cannot be resumed: {name} was {_only(others, values)}, and is {_only(values, others)} now. "
                f"Give the first value again, {_ELSEWHERE}"
            )


def _read_options(folder: Path) -> dict[str, list[str]]:
    path = folder / RUN
    try:
        return _OPTIONS.validate_json(path.read_bytes())
    except FileNotFoundError:
        raise BadResults(
            f"{folder} has results, but no {RUN} with the options of their run, so the run cannot be resumed. Restore "
            f"the file, {_ELSEWHERE}"
        ) from None
    except ValidationError:
        raise BadResults(f"{path} is not a {RUN} of this version of memlab. Restore the file, {_ELSEWHERE}") from None


def _only(values: Sequence[str], others: Sequence[str]) -> str:
    """Return the values that are not among the others, and how many are; all where only their order differs."""
    own = [one for one in values if one not in others]
    shown = own or (list(values) if set(values) == set(others) else [])
    words = [*shown[:MOST_NAMED], *([f"{len(shown) - MOST_NAMED} more"] if len(shown) > MOST_NAMED else [])]
    if common := len(values) - len(shown):
        words.append(f"{common} that both have")
    return ", ".join(words) or "nothing"


def finished_cells(rounds: Sequence[Playable], path: Path) -> Cells:
    """Read the finished cells of a run from its file; a cell that was interrupted is not finished.

    Raises BadResults for an invalid file, and for results that do not belong to these rounds.
    """
    results = read_results(path, warn=lambda _: None)  # an incomplete last line belongs to an interrupted cell
    left = {(key_digest(one.key), one.system): one for one in results}
    found = [_cells(planned, left) for planned in rounds]
    for one in left.values():
        raise BadResults(
            f"{path}: the result of {one.system!r} on {one.key.scenario!r} (seed {one.key.seed}, probe "
            f"{one.key.probe!r}) does not belong to this run, so it cannot be resumed. Restore the file, {_ELSEWHERE}"
        )
    return found


def _cells(planned: Playable, left: dict[tuple[str, str], Result]) -> list[Cell | None]:
    """Take the results of a round out of `left`."""
    digests = [key_digest(one) for one in planned.answer_keys()] if left else [""]
    taken = [[left.pop((digest, system), None) for digest in digests] for system in planned.systems]
    return [_complete(one) for one in taken]


def _complete(results: Sequence[Result | None]) -> Cell | None:
    found = [one for one in results if one is not None]
    return found if len(found) == len(results) else None


def missing_rounds(rounds: Sequence[Playable], cells: Cells) -> list[Playable]:
    """Return the rounds that have unfinished cells, each with the systems of these cells alone."""
    systems = (
        tuple(name for name, cell in zip(planned.systems, finished, strict=True) if cell is None)
        for planned, finished in zip(rounds, cells, strict=True)
    )
    return [planned.with_systems(names) for planned, names in zip(rounds, systems, strict=True) if names]
