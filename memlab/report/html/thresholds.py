"""What a build requires of a run, thresholds and a baseline, and the decision on each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
from rich.text import Text

from memlab.harness.plural import plural
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
from memlab.report.tables.tidy import FAMILY_OF, HALVES, HEADLINE, by_system, tidy
from memlab.report.text import escape_invisible
from memlab.terms import Key, Result

ATTACKS = tuple(name for column in FAMILY_OF for name in (column, *(f"{column}_{half}" for half in HALVES)))
COLUMNS: Mapping[str, tuple[str, ...]] = {ALL: (*ATTACKS, *QUALITY), **dict.fromkeys(FAMILIES, QUALITY)}
"""The quality columns, which can have a threshold, in `all` and in each family."""
MAIN = "scenarios_passed"
STYLES: dict[Outcome, str] = {"met": "dim", "missed": "bold red", "undecided": "yellow"}
VERDICTS = ("The build passes", "The build fails", "The build cannot be decided")
"""By exit code."""
Sample = tuple[str, int]
"""A scenario and a seed."""


@dataclass(frozen=True)
class Requirements:
    """What a build requires of a run: thresholds, and to be no worse than `baseline`, the results of an earlier run."""

    thresholds: Thresholds | None = None
    baseline: Sequence[Result] | None = None


def read_requirements(folder: Path, baseline: Sequence[Result] | None) -> Requirements:
    """Read the thresholds in the pyproject.toml of a folder, or of the nearest above it. Raises BadThresholds."""
    path = find_pyproject(folder)
    return Requirements(read_thresholds(path, COLUMNS) if path else None, baseline)


def decide(results: Sequence[Result], scores: pd.DataFrame, requirements: Requirements) -> list[Decision]:
    """Return a decision for each requirement and system.

    The systems are those that the thresholds name, else those that memlab did not ship. Without either, a baseline is
    compared for every system of the run. A requirement without data is `undecided`, never met.
    """
    thresholds = requirements.thresholds
    systems = list(dict.fromkeys(result.system for result in results))
    named = thresholds.systems if thresholds else ()
    subjects = list(named) or [system for system, group in groups(systems).items() if group == "yours"]
    present = [system for system in subjects if system in systems]
    decisions = [unknown_system(system, systems) for system in subjects if system not in present]
    if thresholds and (present or not named):
        decisions += _thresholds(thresholds, present, scores)
    if requirements.baseline is not None and (present or not named):
        decisions += _baseline(results, requirements.baseline, present or systems, scores)
    return decisions


def summary(decisions: Sequence[Decision]) -> Text:
    """Return the missed and undecided requirements, a line each, and how many are met."""
    text = Text()
    for decision in sorted(decisions, key=lambda decision: decision.outcome, reverse=True):
        if decision.outcome != "met":
            words = f"{decision.outcome}: {escape_invisible(decision.system)}: {decision.name}: {decision.words}\n"
            text.append(words, STYLES[decision.outcome])
            text.append("".join(f"  {detail}\n" for detail in decision.details))
    return text.append(f"{_counts(decisions)}.", STYLES["met"])


def thresholds_section(title: str, decisions: Sequence[Decision]) -> Markup:
    """Return the section of missed and undecided requirements, with those that are met folded."""
    by_outcome: dict[str, list[Decision]] = {name: [d for d in decisions if d.outcome == name] for name in STYLES}
    others = [f"{len(by_outcome[name])} {name}" for name in ("missed", "undecided") if by_outcome[name]]
    code = exit_code(decisions)
    words = f"{VERDICTS[code]} (exit code {code}): {', '.join([_counts(decisions), *others])}."
    parts = [element("p", words, class_=f"outcome {list(STYLES)[code]}")]
    if failures := by_outcome["missed"] + by_outcome["undecided"]:
        parts.append(_table("Missed and undecided.", failures))
    if met := by_outcome["met"]:
        parts.append(element("details", element("summary", f"{len(met)} met"), _table("Met.", met)))
    return section("thresholds", title, *parts)


def _counts(decisions: Sequence[Decision]) -> str:
    """Return how many thresholds and baseline comparisons are met, such as `1 of 2 thresholds met`."""
    kinds: dict[str, list[bool]] = {}
    for decision in decisions:
        kind = "baseline comparison" if decision.name.endswith(NO_WORSE) else "threshold"
        kinds.setdefault(kind, []).append(decision.outcome == "met")
    return ", ".join(f"{sum(met)} of {plural(len(met), kind)} met" for kind, met in kinds.items())


def _table(caption: str, decisions: list[Decision]) -> Markup:
    rows = []
    for one in decisions:
        more = [element("summary", one.words), *(element("small", detail) for detail in one.details)]
        result = element("details", *more) if one.details else one.words
        cells = (element("td", one.outcome, class_=one.outcome), element("td", one.name), element("td", result))
        rows.append(element("tr", element("th", one.system, scope="row"), *cells, data_system=one.system))
    return html_table("thresholds", caption, map(column_heading, ("system", "outcome", "threshold", "result")), rows)


def _thresholds(thresholds: Thresholds, subjects: list[str], scores: pd.DataFrame) -> Iterator[Decision]:
    table = tidy(scores)
    found = {family: by_system(table, family) for family in (ALL, *FAMILIES)}
    for system in subjects:
        for one in thresholds.each:
            yield threshold_decision(one, system, found[one.family].get(system, {}).get(one.column))
    if not subjects:
        words = 'the run has no system of yours; name it with --systems, or write [tool.memlab] systems = ["hybrid"]'
        yield Decision("no system", f"the thresholds of {thresholds.path.name}", "undecided", words)


def _baseline(
    results: Sequence[Result], baseline: Sequence[Result], subjects: list[str], scores: pd.DataFrame
) -> Iterator[Decision]:
    known = [result for result in baseline if result.system in subjects and not result.key.overlay]
    now, then = _samples(results), _samples(known)
    unchanged = {sample for sample in now if then.get(sample) == now[sample]}
    selected = [sample in unchanged for sample in zip(scores["scenario"], scores["seed"], strict=True)]
    ours = scores[selected]
    theirs = score_all(result for result in known if (result.key.scenario, result.key.seed) in unchanged)
    changed = len({sample[0] for sample in now if sample in then} - {sample[0] for sample in unchanged})
    for system in subjects:
        if ours.empty or theirs.empty or system not in set(theirs["system"]):
            words = "the baseline has none of these scenarios in their current form; make one with `memlab compare`"
            yield Decision(system, NO_WORSE, "undecided", words)
        else:
            yield from baseline_decision(system, _by_column(ours, system), _by_column(theirs, system), changed)


def _samples(results: Iterable[Result]) -> dict[Sample, dict[str, Key]]:
    """Map each sample to its answer keys by probe, without overlays."""
    found: dict[Sample, dict[str, Key]] = {}
    for result in results:
        if not result.key.overlay:
            found.setdefault((result.key.scenario, result.key.seed), {})[result.key.probe] = result.key
    return found


def _by_column(scores: pd.DataFrame, system: str) -> dict[str, Values]:
    scenarios = by_scenario(plain(scores))
    counted = [family for family in families(scores) if family != LIMITS]
    columns = [(family, MAIN) for family in (ALL, *(counted if len(counted) > 1 else ()))]
    columns += [(ALL, column) for column in HEADLINE if column in QUALITY and column != MAIN]
    return {f"{family} {column}": values(scenarios, system, family, column) for family, column in columns}
