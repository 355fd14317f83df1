"""Compare systems on scenarios, from Python."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from memlab.api.catalogue import Folders, Names, folders_of, templates
from memlab.api.results import Results
from memlab.harness.attacks.attack_kinds import select_attacks
from memlab.harness.attacks.control import AttackedRound
from memlab.harness.attacks.overlay import attacked_samples, not_applicable
from memlab.harness.comparison import Comparison
from memlab.harness.running.runner import play as play_scenario
from memlab.harness.scenarios.conditions import Conditions
from memlab.harness.scenarios.errors import BadScenario
from memlab.systems.child.confinement import Confinement
from memlab.systems.child.system import LIMIT
from memlab.systems.entry import Entry
from memlab.systems.in_process import from_callable
from memlab.systems.registry import default_entries, entry, names_of, register
from memlab.terms import Labels, Result, Scenario, Telling

System = str | Callable[..., object]
Systems = System | Iterable[System] | None
"""Names, groups, `path/to/file.py:Class`, classes, or functions that make a system; None for the default ones."""
Progress = Callable[[int, int], object]
"""Takes the number of finished cells and of all cells."""
NOT_SANDBOXED = (
    "{} runs in this process, without a sandbox: it can read scenarios, answers and your files. Give it as text, "
    "path/to/file.py:Class, to run it in one."
)


def compare(  # noqa: PLR0913 - the options of `memlab compare`
    systems: Systems = None,
    scenarios: Names = "",
    seeds: int = 3,
    *,
    jobs: int | Executor = 1,
    attacks: str = "",
    labels: Labels = "none",
    tell: Telling = "events",
    noise: bool = True,
    folder: Folders = None,
    out: str | Path | None = None,
    limit: float = LIMIT,
    isolation: str = "",
    network: bool = False,
    preload: Sequence[str] | None = None,
    resume: bool = False,
    progress: Progress | None = None,
) -> Results:
    """Run systems on scenarios, as `memlab compare` does, and return the results.

    `systems` are names or groups of `memlab systems`, texts such as "path/to/file.py:MyMemory", which run in a sandbox,
    or classes, which run in this process: not in a sandbox, and only with `jobs` = 1. `scenarios` are ids, families or
    patterns. `seeds` is the number of samples of each. `jobs` is a number of processes, or an Executor. `folder` holds
    scenarios of your own. `out` is a folder for results.jsonl; a file that is there becomes previous.jsonl, or is
    finished with `resume`. `limit` is the time of one call of your own system, in seconds, `isolation` its sandbox,
    `preload` the modules that the sandbox imports once. `progress` is called with the numbers of finished cells and of
    all cells, the first time before anything is written. Raises BadScenario, UnknownSystem, LevelUnavailable,
    BadResults for an `out` that cannot be resumed, and ValueError.

    >>> results = memlab.compare(["bucket-search", "null"], "recall/first-week", seeds=1)
    >>> results.table()["useful"].to_dict()
    {'bucket-search': 1.0, 'null': 0.0}
    """
    if seeds < 1 or (isinstance(jobs, int) and jobs < 1):
        raise ValueError(f"seeds = {seeds}, jobs = {jobs}: both must be 1 or more")
    with _folder(out) as place:
        modules = None if preload is None else tuple(preload)
        confinement = Confinement(isolation, network, (*_hidden(folder), str(place.resolve())), modules)
        chosen = _entries(systems, limit, confinement, jobs)
        conditions, added = Conditions(labels, tell, noise), select_attacks(attacks)
        run = Comparison(templates(scenarios, folder), chosen, seeds, 1, limit, added, conditions, confinement)
        if added and not any(isinstance(one, AttackedRound) for one in run.rounds):
            raise BadScenario([not_applicable(attacks)])
        found = _play(run, place, jobs, progress or (lambda *_: None), resume=resume)
    return Results(found, folders_of(folder))


def play(  # noqa: PLR0913 - what chooses a sample, and the sandbox
    scenario: str | Scenario,
    systems: Systems = None,
    seed: int = 0,
    *,
    attack: str = "",
    folder: Folders = None,
    isolation: str = "",
    network: bool = False,
) -> Results:
    """Run systems on one sample of a scenario as its file has it, without noise and with all labels.

    It takes a second and shows what happens, as `memlab.show` prints it; `memlab.compare` measures. `scenario` is an
    id, or a loaded Scenario, which is run as it is, without `seed` and `attack`. `isolation` is the sandbox of your own
    system, `network` opens it. Raises BadScenario, UnknownSystem, LevelUnavailable, and ValueError.

    >>> results = memlab.play("stale/deploy-script-moved", ["bucket-search", "hybrid"])
    >>> results.table("scenario")["hybrid"].to_dict()
    {'stale/deploy-script-moved': 1.0}
    """
    chosen = _entries(systems, LIMIT, Confinement(isolation, network, _hidden(folder)), jobs=1)
    if isinstance(scenario, str):
        samples = [attacked for _, attacked in attacked_samples(templates(scenario, folder), seed, attack)]
    elif seed or attack:
        raise ValueError(f"seed = {seed}, attack = {attack!r}: a loaded scenario has both. Give its id instead.")
    else:
        samples = [scenario]
    found = [result for sample in samples for cell in play_scenario(sample, chosen) for result in cell]
    return Results(found, folders_of(folder))


def _hidden(folder: Folders) -> tuple[str, ...]:
    """Return the scenario folders that no system may see, beside memlab's own."""
    return () if folder is None else tuple(str(one.resolve()) for one in folders_of(folder))


@contextmanager
def _folder(out: str | Path | None) -> Iterator[Path]:
    """Return the folder of a run; without one, a temporary folder."""
    if out:
        yield Path(out)
    else:
        with TemporaryDirectory() as place:
            yield Path(place)


def _play(run: Comparison, place: Path, engine: int | Executor, progress: Progress, *, resume: bool) -> list[Result]:
    found, total = list[Result](), run.cells()
    progress(0, total)
    place.mkdir(parents=True, exist_ok=True)
    with closing(run.play(place / "results.jsonl", engine, resume=resume)) as cells:
        for number, cell in enumerate(cells, start=1):
            found += cell
            progress(number, total)
    return found


def _entries(systems: Systems, limit: float, confinement: Confinement, jobs: int | Executor) -> list[Entry]:
    """Resolve systems. Raises UnknownSystem, and ValueError for a class in several processes."""
    if systems is None:
        return default_entries()
    given = [systems] if isinstance(systems, str) or callable(systems) else list(systems)
    names: list[str] = []
    for one in given:
        if isinstance(one, str):
            names += [name for part in one.split(",") if part.strip() for name in names_of(part.strip())]
            continue
        own = register(from_callable(one))
        if jobs != 1:
            raise ValueError(f"jobs = {jobs}: {own.name} is a class of this process. Give FILE:CLASS, or jobs = 1.")
        warnings.warn(NOT_SANDBOXED.format(own.name), stacklevel=3)
        names.append(own.name)
    return [entry(name, limit, confinement) for name in dict.fromkeys(names)]
