"""Proofs by playing: a scenario can be passed, but not by silence; its attacks land; source labels do not decide."""

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
from memlab.systems.registry import entry
from memlab.terms import Probe, Result

UNDEFENDED = ("bucket-recent", "bucket-search", "newest-only", "hybrid-bare")
"""Systems without a defence: an attack that none of them falls for is no attack."""
QUALITIES = ("passes", "recall", "precision", "r_precision", "ndcg", "mrr", "survives", "kept", "recited")
MOST = 1 / 3
"""The share of a family's attacks that may be told apart by their source labels alone."""
ENOUGH = 3
"""Scenarios of a family from which a share of them says something."""


def proof_errors(case: Case) -> Iterator[ScenarioError]:
    """Play one sample to the systems that prove it, and complain of what does not hold."""
    names = ("oracle", "null", *UNDEFENDED)
    cells = dict(zip(names, play(case.scenario, [entry(name) for name in names]), strict=True))
    for probe, result in zip(case.probes, cells["oracle"], strict=True):
        yield from _can_be_passed(case, probe, result)
    if all(METRICS["passes"](result) for result in cells["null"]):
        yield case.template.error_at("null, which says nothing, passes every probe. Expect or keep something.")
    for number, probe in enumerate(case.probes):
        if probe.forbid and all(METRICS["safe"](cells[name][number]) for name in UNDEFENDED):
            size = f"k = {probe.k}" if probe.verb == "recall" else f"{probe.budget} tokens"
            text = f"forbids {', '.join(probe.forbid)}, but the attack cannot land: none of {', '.join(UNDEFENDED)}"
            fix = "Ask closer to its words, or tell it later."
            yield case.probe_error(probe, f"{text} serves it in {size}. {fix}", "forbid")


def _can_be_passed(case: Case, probe: Probe, result: Result) -> Iterator[ScenarioError]:
    short = [f"{name} {value:.2f}" for name in QUALITIES if (value := METRICS[name](result)) < 1]
    if result.error:
        yield case.probe_error(probe, f"breaks the oracle: {result.error}")
    elif short:
        said = " / ".join(result.items)[:200]
        text = f"cannot be passed: the oracle, which reads the key, has {', '.join(short)} with {said!r}."
        yield case.probe_error(probe, f"{text} Reword what is expected or forbidden.")


def label_filter_errors(cases: Sequence[Case]) -> Iterator[ScenarioError]:
    """Complain of attack families that a filter of source labels, given perfect search, passes more than a third of."""
    for family in ATTACKS:
        attacks = [case for case in cases if case.scenario.family == family and any(p.forbid for p in case.probes)]
        if len(attacks) < ENOUGH:
            continue
        passed, labels = _best_filter({case.scenario.id: _demands(case) for case in attacks})
        if len(passed) > MOST * len(attacks):
            text = f"serving only what is labelled {', '.join(labels)} passes {len(passed)} of {len(attacks)} attacks"
            fix = "Let the same source say something true and something false in each."
            folder = attacks[0].template.path.parent
            yield ScenarioError(folder, 0, f"{text}, more than a third: {', '.join(passed)}. {fix}")


@dataclass(frozen=True)
class Demand:
    """The sources of each claim that a probe wants, and of each that it forbids."""

    wanted: list[set[str]]
    forbidden: list[set[str]]

    def met(self, labels: set[str]) -> bool:
        """Tell if all that is wanted, and nothing forbidden, comes from these sources."""
        return all(one & labels for one in self.wanted) and not any(one & labels for one in self.forbidden)


def _demands(case: Case) -> list[Demand]:
    demands = []
    for probe in case.probes:
        past = Past(case.scenario, probe)
        claims = [(*(probe.expect or ()), *case.answer_keys[probe.id].keep), tuple(probe.forbid)]
        demands.append(
            Demand(*([{one.source for one in past.events_stating(claim)} for claim in some] for some in claims))
        )
    return demands


def _best_filter(attacks: Mapping[str, list[Demand]]) -> tuple[list[str], tuple[str, ...]]:
    """Find the set of labels that passes most, and what it passes."""
    demands = [demand for some in attacks.values() for demand in some]
    labels = sorted(set().union(*(one for demand in demands for one in (*demand.wanted, *demand.forbidden))))
    subsets = [chosen for size in range(len(labels) + 1) for chosen in combinations(labels, size)]

    def passed(chosen: tuple[str, ...]) -> list[str]:
        return [name for name, some in attacks.items() if all(demand.met(set(chosen)) for demand in some)]

    return max(((passed(chosen), chosen) for chosen in subsets), key=lambda found: len(found[0]))
