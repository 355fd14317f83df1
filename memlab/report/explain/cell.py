"""One cell of a run, explained: what went wrong, the timeline, and each answer after its question."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from memlab.harness.attacks.attack_kinds import is_attack, matches_attack
from memlab.harness.plural import plural
from memlab.harness.running.results import BadResults
from memlab.harness.scoring.fixes import fixes
from memlab.harness.scoring.metrics import METRICS
from memlab.report.explain.answer import answer_lines
from memlab.report.explain.sentence import failed, sentence
from memlab.report.explain.story import attack_sentence
from memlab.report.explain.timeline import AnnotatedTimeline, TimelineUnavailable, rebuild_timeline
from memlab.report.lines import BLANK, Line, line
from memlab.report.tables.fixes import own_results
from memlab.report.tables.scores import complete
from memlab.report.tables.systems import about_system
from memlab.systems.entry import did_you_mean
from memlab.terms import Probe, Result

LEGEND = (
    "Numbered lines are events. A line with ? is a question; the system's answer follows it. [Brackets] name the claim "
    "that a line states. neither: neither expected nor forbidden."
)
MANY = 60
"""An error lists at most so many scenarios; of more, only those of the family that was named."""


def select_cell(
    results: Iterable[Result], scenario: str = "", system: str = "", seed: int | None = None, attack: str = ""
) -> list[Result]:
    """Return the results of the failed cell that explains what to fix first, among those that match.

    Under an attack, and if nothing is to fix, it is the first that failed, else the first. Without `system`, the user's
    own systems match if the run has any, else all; the class name of `FILE:CLASS` is enough. Without `attack`, only
    cells without an attack match. Raises BadResults if the run has no such scenario, system, seed or attack.
    """
    known = complete(results)
    matching = _under_attack(known, attack) if attack and known else [one for one in known if not one.key.overlay]
    if not matching:
        raise BadResults("There is no result to explain. Run `memlab compare` first.")
    if scenario:
        matching = _filtered(matching, "scenario", scenario, lambda result: result.key.scenario)
    if system:
        matching = _filtered(matching, "system", _full_name(system, matching), lambda result: result.system)
    else:
        own = own_results(matching)
        matching = [result for result in matching if result.system in own] or matching
    if seed is not None:
        matching = _filtered(matching, "seed", str(seed), lambda result: str(result.key.seed))
    cells: dict[tuple[str, str, str, int], list[Result]] = {}
    for result in matching:
        place = (result.system, result.key.overlay, result.key.scenario, result.key.seed)
        cells.setdefault(place, []).append(result)
    first = next((place for place, cell in cells.items() if failed(cell)), next(iter(cells)))
    fix = next(iter(fixes(one for one in matching if one.system == first[0])), None)
    return cells[first[0], "", fix.scenario, fix.seed] if fix else cells[first]


def explanation(results: Sequence[Result], paths: Mapping[str, Path]) -> Iterator[Line]:
    """Yield the explanation of one cell, from its summary to its last probe; `paths` are the scenario files by id."""
    timeline, unavailable = try_timeline(results, paths)
    key = results[0].key
    count = f"{len(failed(results))} of {plural(len(results), 'probe')} failed"
    yield line("", sentence(results, timeline), "bold")
    yield BLANK
    attack = f", under {key.overlay}" if key.overlay else ""
    yield line("", f"{key.scenario}, seed {key.seed}{attack}, system {results[0].system}: {count}.")
    if about := about_system(results[0].system):
        yield line("", f"{results[0].system}: {about}", "dim")
    yield from [BLANK, *introduction(timeline)] if timeline else [line("", unavailable, "yellow")]
    answers = {result.key.probe: result for result in results}
    for entry in timeline.entries if timeline else ():
        probe = entry.steps[0]
        result = answers.pop(probe.id, None) if isinstance(probe, Probe) else None
        yield from probe_lines(result, timeline) if result else entry.lines
    for result in answers.values():
        yield from probe_lines(result, None)


def try_timeline(results: Sequence[Result], paths: Mapping[str, Path]) -> tuple[AnnotatedTimeline | None, str]:
    """Return the timeline of a cell, or None and the reason why there is none."""
    try:
        return rebuild_timeline(results, paths), ""
    except TimelineUnavailable as reason:
        return None, str(reason)


def introduction(timeline: AnnotatedTimeline) -> list[Line]:
    """Return the title and the introduction of a scenario, and the legend."""
    scenario = timeline.scenario
    attack = [line("", attack_sentence(scenario.overlay), "red")] if timeline.attack else []
    text = " ".join(scenario.story.split())
    return [line("", scenario.title, "bold"), line("", text), *attack, line("", LEGEND, "dim"), BLANK]


def probe_lines(result: Result, timeline: AnnotatedTimeline | None) -> Iterator[Line]:
    """Yield one question, whether it was passed, and its answer."""
    key = result.key
    used = f"{result.tokens:,} of {key.budget:,} tokens used"
    limit = f"recall, {plural(key.k, 'item')} at most" if key.verb == "recall" else f"{key.verb}, {used}"
    outcome = "N/A" if result.not_applicable else "passed" if METRICS["passes"](result) else "FAILED"
    lead = timeline.lead(key.probe) if timeline else "  "
    yield line(lead, f"{outcome} ? {key.query}  ({limit})", "bold")
    yield from answer_lines(result, timeline)


def _under_attack(results: Sequence[Result], attack: str) -> list[Result]:
    """Return the results under an attack. Raises BadResults if there is none, and lists the attacks of the run."""
    attacks = list(dict.fromkeys(result.key.overlay for result in results if is_attack(result.key.overlay)))
    if not attacks:
        raise BadResults("This run has no attack. Run `memlab compare --attacks all` first.")
    matching = [name for name in attacks if matches_attack(attack, name)]
    if not matching:
        near = did_you_mean(attack, attacks)
        raise BadResults(f"this run has no attack {attack!r}.{near} Valid: {', '.join(attacks)}.")
    return [result for result in results if result.key.overlay in matching]


def _full_name(system: str, results: Sequence[Result]) -> str:
    """Return the system of this name or of this class name. Raises BadResults if several classes have the name."""
    names = list(dict.fromkeys(result.system for result in results))
    found = [system] if system in names else [name for name in names if name.rpartition(":")[2] == system]
    if len(found) > 1:
        raise BadResults(f"this run has several classes {system!r}. Valid: {', '.join(found)}.")
    return found[0] if found else system


def _filtered(results: list[Result], kind: str, wanted: str, name: Callable[[Result], str]) -> list[Result]:
    """Return the results with a name. Raises BadResults if there is none, and lists the valid names."""
    valid = list(dict.fromkeys(map(name, results)))
    if wanted in valid:
        return [result for result in results if name(result) == wanted]
    family = wanted.partition("/")[0]
    few = [known for known in valid if known.startswith(f"{family}/")] if len(valid) > MANY else valid
    families = dict.fromkeys(f"{known.partition('/')[0]}/..." for known in valid)
    near = did_you_mean(wanted, [*valid, *(known.rpartition(":")[2] for known in valid)])
    raise BadResults(f"this run has no {kind} {wanted!r}.{near} Valid: {', '.join(few or families)}.")
