"""What a build demands of a run, and what it is told: thresholds, and a baseline that nothing may be worse than."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
from rich.text import Text

from memlab.harness.scenarios.schema import FAMILIES, LIMITS
from memlab.harness.scoring.decisions import (
    NO_WORSE,
    Decision,
    Outcome,
    Values,
    baseline_decision,
    exit_code,
    threshold_decision,
    unknown_system,
)
from memlab.harness.scoring.thresholds import ALL, Thresholds, find_pyproject, read_thresholds
from memlab.report.html.elements import Markup, column_heading, element, html_table, section
from memlab.report.tables.paired import values
from memlab.report.tables.scores import QUALITY, by_scenario, families, plain, score_all
from memlab.report.tables.systems import groups
from memlab.report.tables.tidy import FAMILY_OF, HALVES, HEADLINE, tidy, wide
from memlab.report.text import escape_invisible
from memlab.terms import Key, Result

ATTACKS = tuple(name for column in FAMILY_OF for name in (column, *(f"{column}_{half}" for half in HALVES)))
COLUMNS: Mapping[str, tuple[str, ...]] = {ALL: (*ATTACKS, *QUALITY), **dict.fromkeys(FAMILIES, QUALITY)}
"""The columns that can have a threshold, in `all` and in each family: those of quality."""
WHOLE = "scenarios_passed"
STYLES: dict[Outcome, str] = {"met": "dim", "missed": "bold red", "undecided": "yellow"}
OUTCOMES = ("The build holds", "The build fails", "The build cannot be decided")
"""What each exit code says."""
Sample = tuple[str, int]
"""A scenario and a seed."""


@dataclass(frozen=True)
class Demands:
    """What is demanded; None where nothing is. `baseline` holds the results of an earlier run."""

    thresholds: Thresholds | None = None
    baseline: Sequence[Result] | None = None


def demands(folder: Path, baseline: Sequence[Result] | None) -> Demands:
    """Take the thresholds of the pyproject.toml of a folder, or of the nearest above it. Raises BadThresholds."""
    path = find_pyproject(folder)
    return Demands(read_thresholds(path, COLUMNS) if path else None, baseline)


def decide(results: Sequence[Result], scores: pd.DataFrame, demanded: Demands) -> list[Decision]:
    """Give a decision for each demand on each system that it is for.

    These are the systems that the thresholds name, else those that memlab did not ship; a baseline is held against all
    that were played where there are none. What was demanded and cannot be said is `undecided`, never held.
    """
    played = list(dict.fromkeys(result.system for result in results))
    named = demanded.thresholds.systems if demanded.thresholds else ()
    subjects = list(named) or [system for system, group in groups(played).items() if group == "yours"]
    here = [system for system in subjects if system in played]
    found = [unknown_system(system, played) for system in subjects if system not in here]
    if demanded.thresholds and (here or not named):
        found += _thresholds(demanded.thresholds, here, scores)
    if demanded.baseline is not None and (here or not named):
        found += _baseline(results, demanded.baseline, here or played, scores)
    return found


def told(decisions: Iterable[Decision]) -> Text:
    """Lay out what was missed or could not be decided, and count what held."""
    text, held = Text(), 0
    for one in sorted(decisions, key=lambda one: one.outcome, reverse=True):
        held += one.outcome == "met"
        if one.outcome != "met":
            text.append(
                f"{one.outcome}: {escape_invisible(one.system)}: {one.name}: {one.words}\n", STYLES[one.outcome]
            )
            text.append("".join(f"  {line}\n" for line in one.details))
    return text.append(f"{held} held.", STYLES["met"])


def demands_section(title: str, decisions: Sequence[Decision]) -> Markup:
    """Lay out, for the page, what was missed or could not be decided, and, folded away, what held."""
    found: dict[str, list[Decision]] = {one: [d for d in decisions if d.outcome == one] for one in STYLES}
    counts = [f"{len(found[holds])} {holds}" for holds in ("missed", "undecided", "met") if found[holds]]
    code = exit_code(decisions)
    words = f"{OUTCOMES[code]} (exit code {code}): of {len(decisions)} demands {', '.join(counts)}."
    parts = [element("p", words, class_=f"outcome {list(STYLES)[code]}")]
    if wrong := found["missed"] + found["undecided"]:
        parts.append(_grid("What does not hold, or cannot be said.", wrong))
    if found["met"]:
        summary = element("summary", f"{len(found['met'])} held")
        parts.append(element("details", summary, _grid("What holds.", found["met"])))
    return section("demands", title, *parts)


def _grid(caption: str, decisions: list[Decision]) -> Markup:
    rows = []
    for one in decisions:
        more = [element("summary", one.words), *(element("small", line) for line in one.details)]
        found = element("details", *more) if one.details else one.words
        cells = (element("td", one.outcome, class_=one.outcome), element("td", one.name), element("td", found))
        rows.append(element("tr", element("th", one.system, scope="row"), *cells, data_system=one.system))
    return html_table(
        "demands", caption, map(column_heading, ("system", "", "what was demanded", "what was found")), rows
    )


def _thresholds(thresholds: Thresholds, subjects: list[str], scores: pd.DataFrame) -> Iterator[Decision]:
    table = tidy(scores)
    found = {family: wide(table, family) for family in (ALL, *FAMILIES)}
    for system in subjects:
        for one in thresholds.each:
            yield threshold_decision(one, system, found[one.family].get(system, {}).get(one.column))
    if not subjects:
        words = 'no system of yours was played; name it with --systems, or write [tool.memlab] systems = ["hybrid"]'
        yield Decision("no system", f"the thresholds of {thresholds.path.name}", "undecided", words)


def _baseline(
    results: Sequence[Result], baseline: Sequence[Result], subjects: list[str], scores: pd.DataFrame
) -> Iterator[Decision]:
    known = [result for result in baseline if result.system in subjects and not result.key.overlay]
    now, then = _samples(results), _samples(known)
    alike = {sample for sample in now if then.get(sample) == now[sample]}
    same = [sample in alike for sample in zip(scores["scenario"], scores["seed"], strict=True)]
    ours = scores[same]
    theirs = score_all(result for result in known if (result.key.scenario, result.key.seed) in alike)
    changed = len({sample[0] for sample in now if sample in then} - {sample[0] for sample in alike})
    for system in subjects:
        if ours.empty or theirs.empty or system not in set(theirs["system"]):
            words = "the baseline has none of its scenarios as they are now; write a new one with `memlab compare`"
            yield Decision(system, NO_WORSE, "undecided", words)
        else:
            yield from baseline_decision(system, _by_column(ours, system), _by_column(theirs, system), changed)


def _samples(results: Iterable[Result]) -> dict[Sample, dict[str, Key]]:
    """Give each sample's keys by probe, of the results without an overlay."""
    found: dict[Sample, dict[str, Key]] = {}
    for result in results:
        if not result.key.overlay:
            found.setdefault((result.key.scenario, result.key.seed), {})[result.key.probe] = result.key
    return found


def _by_column(scores: pd.DataFrame, system: str) -> dict[str, Values]:
    scenarios = by_scenario(plain(scores))
    counted = [family for family in families(scores) if family != LIMITS]
    asked = [(family, WHOLE) for family in (ALL, *(counted if len(counted) > 1 else ()))]
    asked += [(ALL, column) for column in HEADLINE if column in QUALITY and column != WHOLE]
    return {f"{family} {column}": values(scenarios, system, family, column) for family, column in asked}
