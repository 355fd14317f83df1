"""One cell of a run, explained: what went wrong, the timeline, and each answer where it was given."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from memlab.harness.attacks.catalogue import is_attack, matches_attack
from memlab.harness.running.results import BadResults
from memlab.harness.scoring.metrics import METRICS
from memlab.report.explain.answer import answered
from memlab.report.explain.sentence import failed, sentence
from memlab.report.explain.story import under
from memlab.report.explain.timeline import AnnotatedTimeline, Row, Untold, retell
from memlab.report.tables.scores import complete
from memlab.report.tables.systems import about_system
from memlab.systems.entry import did_you_mean
from memlab.terms import Probe, Result

LEGEND = (
    "Numbered lines are what happened, a ? is what was asked, and below it stands the answer. In [brackets]: the claim "
    "that a line states. neither: it was not expected, and not forbidden."
)
MANY = 60
"""So many valid names are listed; of more scenarios, those of the family that was meant."""


def cell(
    results: Iterable[Result], scenario: str = "", system: str = "", seed: int | None = None, attack: str = ""
) -> list[Result]:
    """Give the results of one cell: the first failed one of those that are meant, else the first of them.

    Without an attack, one that was played as its file says. Raises BadResults for a scenario, system, seed or attack
    that was not played.
    """
    known = complete(results)
    played = [result for result in known if not result.key.overlay]
    if attack and known:
        played = _attacked(known, attack)
    if not played:
        raise BadResults("There is no result to explain. Play some with `memlab compare`.")
    if scenario:
        played = _meant(played, "scenario", scenario, lambda result: result.key.scenario)
    if system:
        played = _meant(played, "system", system, lambda result: result.system)
    if seed is not None:
        played = _meant(played, "seed", str(seed), lambda result: str(result.key.seed))
    cells: dict[tuple[str, str, int, str], list[Result]] = {}
    for result in played:
        place = (result.key.overlay, result.key.scenario, result.key.seed, result.system)
        cells.setdefault(place, []).append(result)
    return next(filter(failed, cells.values()), next(iter(cells.values())))


def page(results: Sequence[Result], paths: Mapping[str, Path]) -> Iterator[Row]:
    """Explain one cell from its first sentence to its last probe; `paths` are the scenario files by id."""
    tale, unknown = retold(results, paths)
    key = results[0].key
    count = f"{len(failed(results))} of {len(results)} probes failed"
    yield Row("", sentence(results, tale), "bold")
    yield Row("", "")
    attack = f", under {key.overlay}" if key.overlay else ""
    yield Row("", f"{key.scenario}, seed {key.seed}{attack}, played to {results[0].system}: {count}.")
    if about := about_system(results[0].system):
        yield Row("", f"{results[0].system}: {about}", "dim")
    if tale is None:
        yield Row("", unknown, "yellow")
    else:
        yield Row("", "")
        yield from opening(tale)
    answers = {result.key.probe: result for result in results}
    for line in tale.lines if tale else ():
        probe = line.steps[0]
        result = answers.pop(probe.id, None) if isinstance(probe, Probe) else None
        yield from asked(result, tale) if result else line.rows
    for result in answers.values():
        yield from asked(result, None)


def retold(results: Sequence[Result], paths: Mapping[str, Path]) -> tuple[AnnotatedTimeline | None, str]:
    """Give the timeline of a cell, or say why it cannot be told again."""
    try:
        return retell(results, paths), ""
    except Untold as untold:
        return None, str(untold)


def opening(tale: AnnotatedTimeline) -> list[Row]:
    """Give the title of a scenario, and the paragraph that a learner reads first."""
    words = " ".join(tale.scenario.story.split())
    attacked = [Row("", under(tale.scenario.overlay), "red")] if tale.attack else []
    return [Row("", tale.scenario.title, "bold"), Row("", words), *attacked, Row("", LEGEND, "dim"), Row("", "")]


def asked(result: Result, tale: AnnotatedTimeline | None) -> Iterator[Row]:
    """Tell one probe: what was asked, whether it is passed, and what was answered."""
    key = result.key
    used = f"{result.tokens:,} of {key.budget:,} tokens used"
    size = f"recall, {key.k} items at most" if key.verb == "recall" else f"assemble, {used}"
    verdict = "passed" if METRICS["passes"](result) else "FAILED"
    lead = tale.lead(key.probe) if tale else "  "
    yield Row(lead, f"{verdict} ? {key.query}  ({size})", "bold")
    yield from answered(result, tale)


def _attacked(results: Sequence[Result], attack: str) -> list[Result]:
    """Keep the results under an attack. Raises BadResults where there is none, with those that were played."""
    played = list(dict.fromkeys(result.key.overlay for result in results if is_attack(result.key.overlay)))
    if not played:
        raise BadResults("No attack was played here. Play some with `memlab compare --attacks all`.")
    meant = [one for one in played if matches_attack(attack, one)]
    if not meant:
        near = did_you_mean(attack, played)
        raise BadResults(f"no attack {attack!r} was played here.{near} Valid: {', '.join(played)}.")
    return [result for result in results if result.key.overlay in meant]


def _meant(played: list[Result], what: str, wanted: str, name: Callable[[Result], str]) -> list[Result]:
    """Keep the results of a name. Raises BadResults where there is none, with the valid ones."""
    valid = list(dict.fromkeys(map(name, played)))
    if wanted in valid:
        return [result for result in played if name(result) == wanted]
    family = wanted.partition("/")[0]
    few = [one for one in valid if one.startswith(f"{family}/")] if len(valid) > MANY else valid
    families = dict.fromkeys(f"{one.partition('/')[0]}/..." for one in valid)
    raise BadResults(
        f"no {what} {wanted!r} was played here.{did_you_mean(wanted, valid)} Valid: {', '.join(few or families)}."
    )
