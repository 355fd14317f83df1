"""`pytest --memlab-system mine.py:Memory`: runs memlab's evals on any memory, in any repository.

A test with a `family` marker and the fixture `cell` runs once for each scenario of those families and each system. A
test with a `law` marker and the fixture `system` runs once for each system. Other tests are not affected.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, get_args

import pytest

import memlab
from memlab.terms import Labels

if TYPE_CHECKING:
    from memlab import Result
    from memlab.harness.scenarios.loading import Template
    from memlab.systems.entry import Entry

SEEDS = 1
REFERENCE = "hybrid"
CELLS: pytest.StashKey[list[list[Result]]] = pytest.StashKey()
_HERE = Path(__file__).resolve().parent


def evals() -> Path:
    """Return the folder of memlab's evals: in the package, or next to it in a checkout."""
    packaged = _HERE / "data" / "evals"
    return packaged if packaged.is_dir() else _HERE.parent / "evals"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add memlab's options."""
    group = parser.getgroup("memlab", "evaluate a memory on memlab's scenarios")
    group.addoption(
        "--memlab-system",
        action="append",
        default=[],
        metavar="FILE.py:NAME",
        help="the memory to evaluate: a name from `memlab systems` or path/to/file.py:Class; may be repeated",
    )
    group.addoption("--memlab-seeds", type=int, default=SEEDS, metavar="N", help="samples of each scenario")
    group.addoption(
        "--memlab-labels",
        choices=get_args(Labels),
        default="none",
        help="subject labels that the memory sees: none, those of facts (names), or all (subjects)",
    )
    group.addoption(
        "--memlab-isolation",
        default="",
        metavar="LEVEL",
        help="the sandbox of a memory given as a file: bubblewrap, landlock or rlimits; default: the best that works",
    )
    group.addoption(
        "--memlab-network",
        action="store_true",
        help="let a memory given as a file use the network, for example to reach its own server",
    )
    group.addoption(
        "--memlab-scenarios", type=Path, default=None, metavar="FOLDER", help="scenarios instead of memlab's own"
    )


def pytest_configure(config: pytest.Config) -> None:
    """Declare the markers. With a system and without a path, run memlab's evals."""
    config.addinivalue_line("markers", "family(*names): run the scenarios of these families")
    config.addinivalue_line("markers", "law: run this test for every system")
    config.stash[CELLS] = []
    _check_options(config)
    if config.option.memlab_system and config.args_source is not pytest.Config.ArgsSource.ARGS:
        config.args = [str(evals())]


def _check_options(config: pytest.Config) -> None:
    """Raise UsageError for an invalid option, before tests are collected."""
    if config.option.memlab_seeds < 1:
        raise pytest.UsageError(f"--memlab-seeds is {config.option.memlab_seeds}; it must be at least 1.")
    if not (config.option.memlab_system or config.option.memlab_scenarios):
        return
    from memlab.extras import NotInstalled
    from memlab.harness.scenarios.errors import BadScenario
    from memlab.sandbox.isolation import LevelUnavailable
    from memlab.systems.entry import UnknownSystem

    try:
        _named_systems(config)
        _library(config.option.memlab_scenarios)
    except (BadScenario, LevelUnavailable, NotInstalled, UnknownSystem) as error:
        raise pytest.UsageError(str(error)) from None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect the evals of memlab's own systems if another system is evaluated."""
    if config.option.memlab_system:
        own = [item for item in items if item.path.is_relative_to(evals()) and not _is_eval(item)]
        items[:] = [item for item in items if item not in own]
        config.hook.pytest_deselected(items=own)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Parametrize a marked test by scenario, seed and system."""
    if not _is_eval(metafunc.definition):
        return
    if "system" in metafunc.fixturenames:
        systems = _systems(metafunc)
        metafunc.parametrize("system", systems, ids=[system.name for system in systems])
    if "sample" in metafunc.fixturenames:
        samples = _samples(metafunc)
        ids = [f"{template.file.id}-{seed}" for template, seed in samples]
        metafunc.parametrize("sample", samples, ids=ids)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Print for each evaluated memory the samples passed by family, and what to fix first."""
    cells = config.stash.get(CELLS, [])
    if not (config.option.memlab_system and cells):
        return
    from memlab.harness.scoring.fixes import HEADING, fix_lines, passed_by_family

    for system, isolation in dict.fromkeys((cell[0].system, cell[0].isolation) for cell in cells):
        terminalreporter.section(f"{system}, in a sandbox: {isolation}" if isolation else system)
        results = [result for cell in cells if cell[0].system == system for result in cell]
        for line in (passed_by_family(results), "", f"{HEADING}:", *fix_lines(results)):
            terminalreporter.write_line(line)


def _is_eval(item: pytest.Item) -> bool:
    return any(item.get_closest_marker(name) for name in ("family", "law"))


def _systems(metafunc: pytest.Metafunc) -> list[Entry]:
    """Return the named systems; by default the reference for a `family` test, every installed one for a `law` test."""
    from memlab.systems.entry import installed
    from memlab.systems.registry import all_entries, entry

    if metafunc.config.option.memlab_system:
        return _named_systems(metafunc.config)
    return [entry(REFERENCE)] if metafunc.definition.get_closest_marker("family") else installed(all_entries())


def _named_systems(config: pytest.Config) -> list[Entry]:
    """Return the systems of --memlab-system in their sandbox. Raises LevelUnavailable and UnknownSystem."""
    from memlab.sandbox.isolation import system_level
    from memlab.systems.child.confinement import Confinement
    from memlab.systems.registry import entry

    options = config.option
    level = system_level(options.memlab_isolation, weaker=False).name if options.memlab_isolation else ""
    hidden = (str(options.memlab_scenarios.resolve()),) if options.memlab_scenarios else ()
    confinement = Confinement(level, options.memlab_network, hidden)
    return [entry(name, confinement=confinement) for name in options.memlab_system]


def _samples(metafunc: pytest.Metafunc) -> list[tuple[Template, int]]:
    marker = metafunc.definition.get_closest_marker("family")
    families = marker.args if marker else ()
    templates = _library(metafunc.config.option.memlab_scenarios)
    seeds = range(metafunc.config.option.memlab_seeds)
    return [(template, seed) for template in templates if template.family in families for seed in seeds]


@cache
def _library(folder: Path | None) -> list[Template]:
    from memlab.harness.scenarios.loading import library, load_all

    return load_all([folder or library()])


@pytest.fixture
def cell(sample: tuple[Template, int], system: Entry, pytestconfig: pytest.Config) -> list[Result]:
    """Run one sample on one system, and return its results."""
    from memlab.harness.scenarios.conditions import Conditions

    template, seed = sample
    options = pytestconfig.option
    scenario = Conditions(options.memlab_labels)(template.sample(seed))
    sandbox = {"isolation": options.memlab_isolation, "network": options.memlab_network}
    results = list(memlab.play(scenario, system.name, folder=options.memlab_scenarios, **sandbox))
    if results:
        pytestconfig.stash[CELLS].append(results)
    return results


def judge(results: Sequence[Result]) -> None:
    """Fail the test unless the system passes every probe; the message lists what was served and what was missing."""
    from memlab.harness.scoring.explanations import failure_explanations

    assert results, "the scenario has no probe, so nothing was tested: add a probe"  # noqa: S101 - never a pass
    failed = failure_explanations(results)
    if failed:
        pytest.fail("\n".join(failed), pytrace=False)
    if all(result.not_applicable for result in results):
        pytest.skip(f"not applicable: {results[0].not_applicable}")
