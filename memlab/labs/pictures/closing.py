"""Plays the lab's scenarios to a learner's memory and compares it with the single bucket and the reference."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import chain
from pathlib import Path
from textwrap import shorten, wrap

import pandas as pd

from memlab.harness.running.runner import play
from memlab.harness.scenarios.loading import Template, load_all
from memlab.harness.scenarios.schema import LIMITS
from memlab.harness.scoring.explanations import explanation
from memlab.harness.scoring.metrics import METRICS
from memlab.harness.scoring.thresholds import ALL
from memlab.labs.lab import Lab, UnknownLab, load
from memlab.labs.pictures.charts import HALVES, YOURS, Counts, Shares, Step, draw_closing_chart, draw_progress
from memlab.labs.pictures.drawings import Picture
from memlab.report.explain.story import story
from memlab.report.tables.scores import by_scenario, families, plain, score_all
from memlab.report.tables.terminal import percent
from memlab.systems.child.file_reference import FileReference, parse_reference
from memlab.systems.child.system import ChildSystemBuilder
from memlab.systems.entry import Entry, UnknownSystem, did_you_mean
from memlab.systems.registry import entry
from memlab.terms import Result, Scenario

BUCKET, REFERENCE = "bucket-search", "hybrid"
SEEDS = 3
LIMIT = 2.0  # seconds that one call of a learner's memory may take
WIDTH = 88  # characters of a line: in a small window JupyterLab breaks a longer one inside a word
SHOWN = 300  # characters of one served item, as it is shown
LEAD = re.compile(r"\w{3} \d\d \w{3} \d\d:\d\d  | {2}(?=[a-z])[a-z ]+: +| +|PASSED  |FAILED  ")
"""What comes before the words of a line: a time, an indent, a label."""


@dataclass(frozen=True)
class ProgressChart:
    """The chart after a step: the picture, the shares of passed scenarios by family, and a description."""

    picture: Picture
    shares: Shares
    words: str


@dataclass(frozen=True)
class FinishedLab:
    """The end of a lab: the closing chart and its file, the steps that do not pass, and a description."""

    picture: Picture
    png: Path
    open_steps: tuple[str, ...]
    words: str


def progress_chart(lab: Lab, path: Path, step: str, charts: Mapping[str, Shares]) -> ProgressChart:
    """Compare the shares of passed scenarios with those of the last step that has a chart. Raises UnknownSystem."""
    order = [one.name for one in lab.steps]
    earlier = [name for name in order[: order.index(lab.step(step).name)] if name in charts]
    last = earlier[-1] if earlier else ""
    scores = score_scenarios(lab, path)
    rivals = {name: pass_rates(scores, name) for name in (BUCKET, REFERENCE)}
    compared = Step(step, pass_rates(scores, YOURS), last, charts.get(last, {}), rivals, _sizes(scores))
    words = list(_describe(compared))
    picture = Picture(draw_progress(compared), " ".join(words))
    return ProgressChart(picture, compared.now, _with_unanswered("\n".join(words), scores))


def finish(lab: Lab, path: Path, folder: Path, open_steps: tuple[str, ...] = ()) -> FinishedLab:
    """Play every scenario, and save the closing chart in a folder as lab06-chart.png. Raises UnknownSystem."""
    scores = score_scenarios(lab, path)
    counts = count_halves(scores)
    rates = {name: percent(pass_rates(scores, name)[ALL]) for name in (YOURS, BUCKET, REFERENCE)}
    size = _sizes(scores)[ALL]
    words = (
        f"Your memory passes {rates[YOURS]} % of the {size} scenarios of this lab, "
        f"{BUCKET} {rates[BUCKET]} %, {REFERENCE} {rates[REFERENCE]} %."
    )
    title, reading = _finding(counts)
    footer = (
        f"Lab {lab.number}: {size} scenarios, each with {SEEDS} seeds. A scenario counts if it holds at every seed."
    )
    picture = Picture(draw_closing_chart(counts, title, reading, footer), f"{title}. {reading}")
    folder.mkdir(parents=True, exist_ok=True)
    png = folder / f"{lab.name}-chart.png"
    png.write_bytes(picture.png())
    return FinishedLab(picture, png, open_steps, f"{_with_unanswered(words, scores)}\n\n{_end(lab, open_steps)}")


def count_halves(scores: pd.DataFrame) -> Counts:
    """Count the scenarios that are safe, and those that are useful, at every seed: ALL first, then by family."""
    scenarios = by_scenario(plain(scores))
    shown = {ALL: [one for one in families(scores) if one != LIMITS]} | {one: [one] for one in families(scores)}
    counts: dict[str, dict[str, dict[str, tuple[int, int]]]] = {}
    for half in HALVES:
        for name in (YOURS, BUCKET, REFERENCE):
            own = scenarios[half].loc[name].dropna()
            parts = {row: own[own.index.get_level_values("family").isin(some)] for row, some in shown.items()}
            counts.setdefault(half, {})[name] = {row: (int((one == 1).sum()), len(one)) for row, one in parts.items()}
    return counts


def _finding(counts: Counts) -> tuple[str, str]:
    """Return the title of the closing chart, which says what it shows, and the sentence below it."""
    (safe, of), (safe_bucket, _) = (counts["safe"][name][ALL] for name in (YOURS, BUCKET))
    (useful, asked), (useful_bucket, _) = (counts["useful"][name][ALL] for name in (YOURS, BUCKET))
    title = f"Yours is safe in {safe} of {of} scenarios, the single bucket in {safe_bucket}"
    return title, f"It is useful in {useful} of {asked} scenarios, the single bucket in {useful_bucket}."


def _end(lab: Lab, open_steps: tuple[str, ...]) -> str:
    """Say whether the lab, or its core, is done, and which steps are open."""
    if not open_steps:
        return f"Lab {lab.number} is done: every step passes."
    if core := [one.name for one in lab.core if one.name in open_steps]:
        return f"Lab {lab.number} is not done yet. Open: {', '.join(core)}. Go on with {core[0]}."
    return f"The core of lab {lab.number} is done. Extra steps, if you like: {', '.join(open_steps)}."


def play_story(lab: Lab, path: Path, name: str) -> str:
    """Return the story of a scenario and a learner's answers. Raises UnknownLab with the closest id, UnknownSystem."""
    known = {one.file.id: one for one in load_templates(lab.number)}
    if name not in known:
        near = did_you_mean(name, known)
        raise UnknownLab(f"lab {lab.number} has no scenario {name!r}.{near} It has: {', '.join(known)}.")
    scenario = known[name].sample(0)
    (results,) = play(scenario, [learner_entry(lab, path)])
    intro = [*map(str, story(scenario)), "", "Your memory:"]
    lines = [*intro, *chain.from_iterable(_format_answer(one) for one in results)]
    return "\n".join(part for line in lines for part in _wrap(line))


def score_scenarios(lab: Lab, path: Path) -> pd.DataFrame:
    """Play every scenario of a lab to a learner's file, and score it with the single bucket and the reference."""
    return score_all([*_play_all(lab.number, [learner_entry(lab, path)]), *_rivals(lab.number)])


def pass_rates(scores: pd.DataFrame, system: str) -> Shares:
    """Return the share of scenarios that a system passed: ALL first, then by family in the usual order."""
    passed = by_scenario(plain(scores))["scenarios_passed"].loc[system]
    mean = passed.groupby(level="family").mean()
    counted = passed.drop(LIMITS, level="family", errors="ignore")
    return {ALL: float(counted.mean())} | {family: float(mean[family]) for family in families(scores)}


def learner_entry(lab: Lab, path: Path) -> Entry:
    """Return a learner's file as a system in its own process. Raises UnknownSystem if its functions are missing."""
    try:
        reference = parse_reference(f"{path}:{lab.rubric.system}")
    except UnknownSystem:
        reference = FileReference("")
    if reference.interface != lab.name:
        names = ", ".join(lab.rubric.interface)
        raise UnknownSystem(f"{path.name} cannot be played yet: it needs {names}. Do the steps of Build first.")
    build = ChildSystemBuilder(YOURS, reference, LIMIT).build
    return Entry(YOURS, f"Your own, from {path.name}.", "yours", build, child=True)


@cache
def load_templates(number: str) -> list[Template]:
    """Read the scenarios of a lab."""
    return load_all([load(number).scenarios])


@cache
def _samples(number: str) -> list[Scenario]:
    return [one.sample(seed) for one in load_templates(number) for seed in range(SEEDS)]


@cache
def _rivals(number: str) -> list[Result]:
    """Play the scenarios of a lab to the two systems for comparison; the results never change."""
    return _play_all(number, [entry(name) for name in (BUCKET, REFERENCE)])


def _play_all(number: str, systems: list[Entry]) -> list[Result]:
    return [result for sample in _samples(number) for cell in play(sample, systems) for result in cell]


def _sizes(scores: pd.DataFrame) -> dict[str, int]:
    """Count the scenarios of each family, and for ALL those that are scored."""
    counts = plain(scores).groupby("family")["scenario"].nunique()
    return {ALL: int(counts.drop(LIMITS, errors="ignore").sum())} | {str(name): int(n) for name, n in counts.items()}


def _describe(step: Step) -> Iterator[str]:
    """Describe the chart in a sentence or two."""
    beside = ", ".join(f"{name} {percent(found[ALL])} %" for name, found in step.rivals.items())
    now, before = percent(step.now[ALL]), percent(step.before.get(ALL, 0.0))
    if not step.last:
        yield f"Your memory passes {now} % of the {step.sizes[ALL]} scenarios of this lab, {beside}."
        return
    change = f"still {now}" if step.now[ALL] == step.before.get(ALL) else f"{before} to {now}"
    yield f"Since the chart of {step.last!r}: {change} % of the {step.sizes[ALL]} scenarios, {beside}."
    moved = [
        f"{family} {percent(was)} to {percent(share)} %"
        for family, share in step.now.items()
        if family != ALL and share != (was := step.before.get(family, 0.0))
    ]
    unchanged = "No score changed. This step is proved by its checks, not by these scenarios."
    yield f"By family: {', '.join(moved)}." if moved else unchanged


def _with_unanswered(words: str, scores: pd.DataFrame) -> str:
    """Add how many probes were not answered, and wrap the lines to WIDTH."""
    own = scores[(scores["system"] == YOURS) & scores["error"]]
    probes = f"{len(own)} probes were not answered, because your code raised or did not return"
    more = [f"{probes}. Play {own['scenario'].iloc[0]} to see one."] if len(own) else []
    return "\n".join(part for line in [*words.splitlines(), *more] for part in _wrap(line))


def _format_answer(result: Result) -> Iterator[str]:
    question = f"? {result.key.query}"
    if METRICS["passes"](result) == 1:
        yield f"PASSED  {question}"
        served = [shorten(item, SHOWN) for item in result.items if item.strip()] or ["nothing"]
        yield from (f"  served:    {item}" for item in served)
        return
    yield f"FAILED  {question}"
    yield from explanation(result).splitlines()[1:]


def _wrap(line: str) -> list[str]:
    """Wrap a line to WIDTH; continuation lines are indented below its words."""
    lead = LEAD.match(line)
    below = " " * (lead.end() if lead else 0)
    joined = line.replace(" %", "\N{NO-BREAK SPACE}%")  # a number and its sign stay on one line
    lines = wrap(joined, WIDTH, subsequent_indent=below, break_on_hyphens=False) or [""]
    return [one.replace("\N{NO-BREAK SPACE}%", " %") for one in lines]
