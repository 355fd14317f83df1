"""The lab's own scenarios played to a learner's memory, and what it gets right beside the bucket and the reference."""

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
from memlab.harness.scoring.intervals import METHOD
from memlab.harness.scoring.metrics import METRICS
from memlab.harness.scoring.thresholds import ALL
from memlab.labs.lab import Lab, UnknownLab, load
from memlab.labs.pictures.charts import YOURS, Shares, Step, bought_chart, closing_chart
from memlab.labs.pictures.drawings import Picture
from memlab.report.explain.story import story
from memlab.report.tables.scores import by_scenario, families, plain, score_all
from memlab.report.tables.terminal import percent
from memlab.report.tables.tidy import tidy, wide
from memlab.systems.entry import Entry, UnknownSystem, did_you_mean
from memlab.systems.registry import entry
from memlab.systems.submission.parent import Submission
from memlab.systems.submission.source_file import Target, target_in_file
from memlab.terms import Result, Scenario

BUCKET, REFERENCE = "bucket-search", "hybrid"
SEEDS = 3
LIMIT = 2.0
"""Seconds that one call of a learner's memory may take."""
WIDTH = 88
"""Letters of a line: JupyterLab breaks a longer one within a word, where the window is small."""
SHOWN = 300
"""Letters of a line, and of one item that was rightly served."""
LEAD = re.compile(r"\w{3} \d\d \w{3} \d\d:\d\d  | {2}(?=[a-z])[a-z ]+: +| +|PASSED  |FAILED  ")
"""What stands before the words of a line: a time, an indent, a label."""


@dataclass(frozen=True)
class Bought:
    """What a chart after a step shows: the picture, the shares that it is drawn from, and the sentence."""

    picture: Picture
    shares: Shares
    words: str


@dataclass(frozen=True)
class Finished:
    """The end of a lab: the closing chart and where it lies, the steps that do not hold, and the word."""

    picture: Picture
    png: Path
    open_steps: tuple[str, ...]
    words: str

    @property
    def done(self) -> bool:
        """Tell if every step holds."""
        return not self.open_steps


def bought(lab: Lab, path: Path, step: str, charts: Mapping[str, Shares]) -> Bought:
    """Show what a step bought: the shares of a learner's file now, beside those of the last step that was charted.

    `charts` are the shares by step. Raises UnknownSystem where the file has not yet what is judged.
    """
    order = [one.name for one in lab.steps]
    earlier = [name for name in order[: order.index(lab.step(step).name)] if name in charts]
    last = earlier[-1] if earlier else ""
    scores = scored(lab, path)
    rivals = {name: shares(scores, name) for name in (BUCKET, REFERENCE)}
    compared = Step(step, shares(scores, YOURS), last, charts.get(last, {}), rivals, _sizes(scores))
    words = list(_bought_words(compared))
    picture = Picture(bought_chart(compared), " ".join(words))
    return Bought(picture, compared.now, _told("\n".join(words), scores))


def finish(lab: Lab, path: Path, folder: Path, still: tuple[str, ...] = ()) -> Finished:
    """Play every scenario, and save the closing chart in a folder as lab06-chart.png; `still` are the open steps.

    Raises UnknownSystem where the file has not yet what is judged, and OSError where nothing can be saved.
    """
    scores = scored(lab, path)
    found = wide(tidy(scores))
    passed = {name: percent(found[name]["scenarios_passed"].mean) for name in (YOURS, BUCKET, REFERENCE)}
    count = found[YOURS]["scenarios_passed"].n
    words = (
        f"Your memory passes {passed[YOURS]} % of the {count} scenarios of this lab, "
        f"{BUCKET} {passed[BUCKET]} %, {REFERENCE} {passed[REFERENCE]} %."
    )
    end = (
        f"Lab {lab.number} is not done yet. Open: {', '.join(still)}. Go on with {still[0]}."
        if still
        else f"Lab {lab.number} is done: every step holds."
    )
    footer = f"{count} scenarios, {SEEDS} seeds each, averaged first. 95 % intervals: {METHOD}."
    picture = Picture(closing_chart(lab.number, found, footer), words)
    folder.mkdir(parents=True, exist_ok=True)
    png = folder / f"{lab.name}-chart.png"
    png.write_bytes(picture.png())
    return Finished(picture, png, still, f"{_told(words, scores)}\n\n{end}")


def tell(lab: Lab, path: Path, name: str) -> str:
    """Play one scenario of a lab to a learner's file, and tell its story, what was answered, and what was wrong.

    Raises UnknownLab, which names the nearest, where no scenario has this id, and UnknownSystem as `learner` does.
    """
    known = {one.file.id: one for one in templates(lab.number)}
    if name not in known:
        near = did_you_mean(name, known)
        raise UnknownLab(f"lab {lab.number} has no scenario {name!r}.{near} It has: {', '.join(known)}.")
    scenario = known[name].sample(0)
    (results,) = play(scenario, [learner(lab, path)])
    told = [*map(str, story(scenario)), "", "Your memory:"]
    lines = [*told, *chain.from_iterable(_answer(one) for one in results)]
    return "\n".join(part for line in lines for part in _wrapped(line))


def scored(lab: Lab, path: Path) -> pd.DataFrame:
    """Play every scenario of a lab to a learner's file, and score it beside the single bucket and the reference."""
    own = _played(lab.number, [learner(lab, path)])
    return score_all([*own, *_rivals(lab.number)])


def shares(scores: pd.DataFrame, system: str) -> Shares:
    """Give the share of the scenarios that a system passed, ALL first, then by family in the usual order."""
    passed = by_scenario(plain(scores))["scenarios_passed"].loc[system]
    mean = passed.groupby(level="family").mean()
    counted = passed.drop(LIMITS, level="family", errors="ignore")
    return {ALL: float(counted.mean())} | {family: float(mean[family]) for family in families(scores)}


def learner(lab: Lab, path: Path) -> Entry:
    """Make a learner's file a system like any other, in a process of its own.

    Raises UnknownSystem where it is no Python, or has not yet what is judged.
    """
    try:
        target = target_in_file(f"{path}:{lab.system}")
    except UnknownSystem:
        target = Target("")
    if target.interface != lab.name:
        names = ", ".join(lab.interface)
        raise UnknownSystem(f"{path.name} cannot be played yet: it has to have {names}. Do the steps of Build first.")
    return Entry(YOURS, f"Your own, from {path.name}.", "yours", Submission(YOURS, target, LIMIT).build, child=True)


@cache
def templates(number: str) -> list[Template]:
    """Read the scenarios of a lab."""
    return load_all([load(number).scenarios])


@cache
def _samples(number: str) -> list[Scenario]:
    return [one.sample(seed) for one in templates(number) for seed in range(SEEDS)]


@cache
def _rivals(number: str) -> list[Result]:
    """Play the scenarios of a lab to what a learner is set beside; this never changes."""
    return _played(number, [entry(name) for name in (BUCKET, REFERENCE)])


def _played(number: str, systems: list[Entry]) -> list[Result]:
    return [result for sample in _samples(number) for cell in play(sample, systems) for result in cell]


def _sizes(scores: pd.DataFrame) -> dict[str, int]:
    """Count the scenarios of each family, and for ALL those that count."""
    counts = plain(scores).groupby("family")["scenario"].nunique()
    return {ALL: int(counts.drop(LIMITS, errors="ignore").sum())} | {str(name): int(n) for name, n in counts.items()}


def _bought_words(step: Step) -> Iterator[str]:
    """Say in a sentence or two what the chart shows."""
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
    yield f"By family: {', '.join(moved)}." if moved else "No family moved: its laws say what this step bought."


def _told(words: str, scores: pd.DataFrame) -> str:
    """Add that a memory failed at probes, which is to be seen before anything else, and break the lines to WIDTH."""
    own = scores[(scores["system"] == YOURS) & scores["error"]]
    probes = f"{len(own)} probes were not answered, because your code raised or did not return"
    more = [f"{probes}. Play {own['scenario'].iloc[0]} to see one."] if len(own) else []
    return "\n".join(part for line in [*words.splitlines(), *more] for part in _wrapped(line))


def _answer(result: Result) -> Iterator[str]:
    asked = f"? {result.key.query}"
    if METRICS["passes"](result) == 1:
        yield f"PASSED  {asked}"
        served = [shorten(item, SHOWN) for item in result.items if item.strip()] or ["nothing"]
        yield from (f"  served:    {item}" for item in served)
        return
    yield f"FAILED  {asked}"
    yield from explanation(result).splitlines()[1:]


def _wrapped(line: str) -> list[str]:
    """Break a line to WIDTH; what follows stands below its words."""
    lead = LEAD.match(line)
    below = " " * (lead.end() if lead else 0)
    return wrap(line, WIDTH, subsequent_indent=below, break_on_hyphens=False) or [""]
