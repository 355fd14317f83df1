"""`pytest --memlab-system mine.py:Memory`: the evals that come with memlab, on anybody's memory, in any repository.

A test with a `family` marker that asks for `cell` gets one scenario sample played to one system, for each scenario of
those families and each system; a test with a `law` marker that asks for `system` gets each system. No other test is
touched, whatever its fixtures are called.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from memlab.harness.scenarios.loading import Template
    from memlab.systems.entry import Entry
    from memlab.terms import Result

SEEDS = 1
REFERENCE = "hybrid"
PLAYED: pytest.StashKey[list[list[Result]]] = pytest.StashKey()
_HERE = Path(__file__).resolve().parent


def evals() -> Path:
    """Find the evals that come with memlab: in the package, or beside it in a checkout."""
    packaged = _HERE / "data" / "evals"
    return packaged if packaged.is_dir() else _HERE.parent / "evals"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add memlab's options."""
    group = parser.getgroup("memlab", "judge a memory by memlab's scenarios")
    group.addoption(
        "--memlab-system",
        action="append",
        default=[],
        metavar="FILE.py:NAME",
        help="the memory to judge, a name of `memlab systems` or path/to/file.py:Class; may be given again",
    )
    group.addoption("--memlab-seeds", type=int, default=SEEDS, metavar="N", help="samples of each scenario")
    group.addoption(
        "--memlab-scenarios", type=Path, default=None, metavar="FOLDER", help="scenarios instead of memlab's own"
    )


def pytest_configure(config: pytest.Config) -> None:
    """Declare the markers; where a system is given and no path, the evals that come with memlab are what runs."""
    config.addinivalue_line("markers", "family(*names): play the scenarios of these families")
    config.addinivalue_line("markers", "law: ask this of every system")
    config.stash[PLAYED] = []
    _refuse_mistakes(config)
    if config.option.memlab_system and config.args_source is not pytest.Config.ArgsSource.ARGS:
        config.args = [str(evals())]


def _refuse_mistakes(config: pytest.Config) -> None:
    """Raise UsageError, once and before anything is collected, where an option cannot be followed."""
    if config.option.memlab_seeds < 1:
        raise pytest.UsageError(
            f"--memlab-seeds is {config.option.memlab_seeds}; give at least 1, for no sample is no test."
        )
    if not (config.option.memlab_system or config.option.memlab_scenarios):
        return
    from memlab.harness.scenarios.errors import BadScenario
    from memlab.systems.entry import UnknownSystem
    from memlab.systems.registry import entry

    try:
        for name in config.option.memlab_system:
            entry(name)
        _library(config.option.memlab_scenarios)
    except (BadScenario, UnknownSystem) as error:
        raise pytest.UsageError(str(error)) from None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the evals of memlab's own systems when somebody else's is judged."""
    if config.option.memlab_system:
        own = [item for item in items if item.path.is_relative_to(evals()) and not _judges(item)]
        items[:] = [item for item in items if item not in own]
        config.hook.pytest_deselected(items=own)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Make a test for each scenario, seed and system that a marked test asks for."""
    if not _judges(metafunc.definition):
        return
    if "system" in metafunc.fixturenames:
        systems = _systems(metafunc)
        metafunc.parametrize("system", systems, ids=[one.name for one in systems])
    if "sample" in metafunc.fixturenames:
        samples = _samples(metafunc)
        ids = [f"{template.file.id}-{seed}" for template, seed in samples]
        metafunc.parametrize("sample", samples, ids=ids)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Say of each judged memory how many samples of each family it passed, and which defences it missed most."""
    played = config.stash.get(PLAYED, [])
    if not (config.option.memlab_system and played):
        return
    from memlab.harness.scoring.explanations import summary

    for system in dict.fromkeys(cell[0].system for cell in played):
        terminalreporter.section(system)
        terminalreporter.write_line(summary([cell for cell in played if cell[0].system == system]))


def _judges(item: pytest.Item) -> bool:
    return any(item.get_closest_marker(name) for name in ("family", "law"))


def _systems(metafunc: pytest.Metafunc) -> list[Entry]:
    """Give the systems that were named; else the reference for a family of scenarios, and every system for a law."""
    from memlab.systems.registry import entries, entry

    named = metafunc.config.option.memlab_system
    if named:
        return [entry(name) for name in named]
    return [entry(REFERENCE)] if metafunc.definition.get_closest_marker("family") else list(entries())


def _samples(metafunc: pytest.Metafunc) -> list[tuple[Template, int]]:
    marker = metafunc.definition.get_closest_marker("family")
    families = marker.args if marker else ()
    templates = _library(metafunc.config.option.memlab_scenarios)
    seeds = range(metafunc.config.option.memlab_seeds)
    return [(one, seed) for one in templates if one.family in families for seed in seeds]


@cache
def _library(folder: Path | None) -> list[Template]:
    from memlab.harness.scenarios.loading import library, load_all

    return load_all([folder or library()])


@pytest.fixture
def cell(sample: tuple[Template, int], system: Entry, pytestconfig: pytest.Config) -> list[Result]:
    """Play one sample to one system, and give its results."""
    from memlab.harness.running.runner import play

    template, seed = sample
    results = next(iter(play(template.sample(seed), [system])))
    pytestconfig.stash[PLAYED].append(results)
    return results


def judge(results: Sequence[Result]) -> None:
    """Fail the test unless every probe of a cell is passed, and say of each what was served and what was missing."""
    from memlab.harness.scoring.explanations import failure_explanations

    assert results, "nothing was asked, so nothing was passed: add a probe to the scenario"  # noqa: S101 - never a pass
    failed = failure_explanations(results)
    if failed:
        pytest.fail("\n".join(failed), pytrace=False)
