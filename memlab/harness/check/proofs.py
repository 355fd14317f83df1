"""Checks that run systems: the oracle passes, null fails, attacks have an effect, source labels do not suffice."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from memlab.harness.check.case import Case
from memlab.harness.check.past import Past
from memlab.harness.running.runner import play
from memlab.harness.scenarios.errors import ScenarioError
from memlab.harness.scenarios.schema import ATTACKS
from memlab.harness.scoring.metrics import METRICS
from memlab.memory.context import count_tokens
from memlab.systems.registry import entry
from memlab.terms import Probe, Result

UNDEFENDED = ("bucket-recent", "bucket-search", "newest-only", "hybrid-bare")
"""Systems without a defence: an attack must have an effect on at least one of them."""
QUALITIES = ("passes", "recall", "precision", "r_precision", "ndcg", "mrr", "survives", "kept", "recited")
MOST = 1 / 3
"""The maximum share of a family's attacks that a filter on source labels alone may pass."""
ENOUGH = 3
"""The minimum number of a family's scenarios for that check."""


def proof_errors(case: Case) -> Iterator[ScenarioError]:
    """Run the oracle, null and the undefended systems on one sample, and yield errors."""
    by_oracle, by_null = play(case.scenario, [entry("oracle"), entry("null")])
    for probe, result in zip(case.probes, by_oracle, strict=True):
        yield from _can_be_passed(case, probe, result)
    if all(METRICS["passes"](result) for result in by_null):
        yield case.template.error_at(
            "null, which always answers nothing, passes every probe. Add `expect:` or `keep:`."
        )
    for probe in _without_effect(case):
        key = case.answer_keys[probe.id]
        size = f"{f'k = {probe.k} and ' * (probe.verb == 'recall')}{key.budget} tokens"
        text = f"forbids {', '.join(probe.forbid)}, but the attack has no effect: none of {', '.join(UNDEFENDED)}"
        longest = max(count_tokens(text) for claim in probe.forbid for text in key.texts[claim])
        too_long = f"Its text has {longest} tokens, and is cut at the budget: shorten it, or set a larger `budget:`."
        fix = too_long if longest > key.budget else "Use more of its words in the query, or move it later."
        yield case.probe_error(probe, f"{text} serves it in {size}. {fix}", "forbid")


def _without_effect(case: Case) -> list[Probe]:
    """Return the probes that forbid something which no undefended system serves. Most are done after the first."""
    left = [(number, probe) for number, probe in enumerate(case.probes) if probe.forbid]
    for name in UNDEFENDED:
        if left:
            (cell,) = play(case.scenario, [entry(name)])
            left = [(number, probe) for number, probe in left if METRICS["safe"](cell[number])]
    return [probe for _, probe in left]


def _can_be_passed(case: Case, probe: Probe, result: Result) -> Iterator[ScenarioError]:
    short = [f"{name} {value:.2f}" for name in QUALITIES if (value := METRICS[name](result)) < 1]
    if result.error:
        yield case.probe_error(probe, f"makes the oracle fail: {result.error}")
    elif short:
        answer = " / ".join(result.items)[:200]
        text = f"cannot be passed: the oracle, which reads the key, has {', '.join(short)} with {answer!r}."
        yield case.probe_error(probe, f"{text} Reword the expected or forbidden claims.")


def label_filter_errors(cases: Sequence[Case]) -> Iterator[ScenarioError]:
    """Yield an error for each attack family in which a filter on source labels passes more than a third."""
    for family in ATTACKS:
        attacks = [case for case in cases if case.scenario.family == family and any(p.forbid for p in case.probes)]
        if len(attacks) < ENOUGH:
            continue
        passed, labels = _best_filter({case.scenario.id: _demands(case) for case in attacks})
        if len(passed) > MOST * len(attacks):
            text = f"serving only what is labelled {', '.join(labels)} passes {len(passed)} of {len(attacks)} attacks"
            fix = "Let the same source state something true and something false in each."
            folder = attacks[0].template.path.parent
            yield ScenarioError(folder, 0, f"{text}, more than a third: {', '.join(passed)}. {fix}")


@dataclass(frozen=True)
class Demand:
    """The sources of each claim that a probe expects, and of each that it forbids."""

    wanted: list[set[str]]
    forbidden: list[set[str]]

    def met(self, labels: set[str]) -> bool:
        """Return whether these sources state all expected claims and no forbidden ones."""
        return all(one & labels for one in self.wanted) and not any(one & labels for one in self.forbidden)


def _demands(case: Case) -> list[Demand]:
    demands = []
    for probe in case.probes:
        past, wanted = Past(case.scenario, probe), (*(probe.expect or ()), *case.answer_keys[probe.id].keep)
        demands.append(Demand(*([past.sources_stating(one) for one in some] for some in (wanted, probe.forbid))))
    return demands


def _best_filter(attacks: Mapping[str, list[Demand]]) -> tuple[list[str], tuple[str, ...]]:
    """Return the scenarios that the best set of labels passes, and the set."""
    demands = [demand for some in attacks.values() for demand in some]
    labels = sorted(set().union(*(one for demand in demands for one in (*demand.wanted, *demand.forbidden))))
    subsets = [chosen for size in range(len(labels) + 1) for chosen in combinations(labels, size)]

    def passed(chosen: tuple[str, ...]) -> list[str]:
        return [name for name, some in attacks.items() if all(demand.met(set(chosen)) for demand in some)]

    return max(((passed(chosen), chosen) for chosen in subsets), key=lambda found: len(found[0]))
