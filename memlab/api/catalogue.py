"""What can be compared, and on what: systems, scenarios, and a scenario as a story."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from memlab.api.coloured_text import ColouredText
from memlab.harness.attacks.overlay import attacked_samples
from memlab.harness.attacks.targets import injected_events
from memlab.harness.scenarios.loading import Template, library, load_all, select
from memlab.report.explain.story import story
from memlab.systems.registry import all_entries

Names = str | Iterable[str]
"""Names or patterns: a text with commas between them, or several texts."""
Folders = str | Path | Iterable[str | Path] | None
"""One folder, several, or None for memlab's own scenarios."""


def list_systems() -> dict[str, str]:
    """Return the name and the description of every system that memlab ships.

    >>> memlab.list_systems()["bucket-search"]
    'One notes file; BM25 over everything, then the newest lines.'
    """
    return {one.name: one.about for one in all_entries()}


def scenarios(wanted: Names = "", *, folder: Folders = None) -> dict[str, str]:
    """Return the id and the title of each scenario that a name, family or pattern selects; "" selects all.

    `folder` holds scenarios of your own, in folders named after the families. Raises BadScenario if a pattern matches
    nothing, or a file is invalid.

    >>> memlab.scenarios("stale/deploy-*")
    {'stale/deploy-script-moved': 'The deploy script moved after the fact was written'}
    """
    return {one.file.id: one.sample(0).title for one in templates(wanted, folder)}


def show(scenario: str, seed: int = 0, *, attack: str = "", folder: Folders = None) -> ColouredText:
    """Return a scenario as a story: its events, its questions, what must be served and what must not.

    `print` shows it as text, Jupyter in colour. `seed` chooses the sample, `attack` adds attacks such as `update.web`.
    Raises BadScenario if there is no such scenario.

    >>> print(memlab.show("recall/first-week"))  # doctest: +ELLIPSIS
    What a new colleague was told in her first week
    recall/first-week, seed 0
    ...
    """
    pairs = attacked_samples(templates(scenario, folder), seed, attack)
    return ColouredText(line for clean, attacked in pairs for line in story(attacked, injected_events(clean, attacked)))


def templates(wanted: Names, folder: Folders) -> list[Template]:
    """Return the selected scenario files of these folders, or of memlab's own. Raises BadScenario."""
    return select(load_all(folders_of(folder)), joined(wanted))


def folders_of(folder: Folders) -> list[Path]:
    """Return the folders as paths; memlab's own scenarios if there is none."""
    given = [folder] if isinstance(folder, str | Path) else folder or ()
    return [Path(one) for one in given] or [library()]


def joined(names: Names) -> str:
    """Return names as one text with commas."""
    return names if isinstance(names, str) else ",".join(names)
