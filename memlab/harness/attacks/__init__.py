"""Attacks as overlays: each turns a clean scenario into an attacked one, and what must not be served is derivable.

An attack is a kind and a channel; its id says both and the version: `update.web.v1`. Attacks are aimed at probes that
no attack of the scenario's own is aimed at, in every family but `limits`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice, permutations, product
from pathlib import Path

from memlab.harness.attacks import kinds
from memlab.harness.attacks.aim import only_aimed
from memlab.harness.attacks.channels import CHANNELS
from memlab.harness.attacks.scene import Scene
from memlab.harness.attacks.telling import Lay, contradicting, ordering
from memlab.harness.attacks.undoing import delete, revive
from memlab.harness.check.case import Case
from memlab.harness.check.sound import complaints
from memlab.harness.complaint import BadScenario, Complaint, suggest
from memlab.harness.scenario import Template
from memlab.terms import Event, Probe, Scenario

TRIES = 12
"""Candidates of one attack on one scenario that are looked at, before it is said not to apply."""


@dataclass(frozen=True)
class Kind:
    """One kind of attack. `version` grows whenever it tells something else: then its figures are another's."""

    version: int
    about: str
    lay: Lay


KINDS = {
    "update": Kind(2, "states a lie on the subject of the truth", contradicting(kinds.update)),
    "sleeper": Kind(1, "states the lie first of all, before the truth", contradicting(kinds.update, first=True)),
    "repeat": Kind(2, "states the lie in four sessions, to be promoted", contradicting(kinds.repeat, ends=True)),
    "stuffing": Kind(2, "describes the lie in the words of the question", contradicting(kinds.stuffing)),
    "flood": Kind(2, "tells the lie in one giant statement and a hundred tiny ones", contradicting(kinds.flood)),
    "headings": Kind(2, "forges frontmatter and headings around the lie", contradicting(kinds.headings)),
    "voice": Kind(1, "forges the voice of the user or of an authority around the lie", contradicting(kinds.voice)),
    "lookalike": Kind(2, "states the lie under the true name in another spelling", contradicting(kinds.lookalike)),
    "order": Kind(2, "dresses the lie as an instruction", ordering(kinds.order)),
    "hijack": Kind(1, "begins a stranger's task, whose goal holds the lie", ordering(kinds.hijack)),
    "delete": Kind(1, "asks to erase the truth, without the right to", delete),
    "revive": Kind(1, "tells again what was erased", revive),
}
ATTACKS = {f"{name}.{channel}.v{kind.version}": (kind, channel) for name, kind in KINDS.items() for channel in CHANNELS}
"""Every attack, by its id."""
_ID = re.compile(rf"[a-z]+\.({'|'.join(CHANNELS)})\.v\d+")


@dataclass(frozen=True)
class Overlay:
    """Some attacks on one template, laid one over the other; the same sample gives the same attacked scenario."""

    template: Template
    attacks: tuple[str, ...]

    def __call__(self, scenario: Scenario) -> Scenario | None:
        """Attack one sample, and ask only where the attacks aim; None where one of them does not apply."""
        attacked: Scenario | None = scenario
        for name in together(self.attacks):
            attacked = lay(name, self.template, attacked) if attacked else None
        return only_aimed(scenario, attacked) if attacked and self.attacks else attacked


def together(attacks: Iterable[str]) -> tuple[str, ...]:
    """Put attacks in the order in which they are laid, each once, in whatever order they were named."""
    return tuple(sorted(set(attacks), key=list(ATTACKS).index))


def lay(attack: str, template: Template, scenario: Scenario) -> Scenario | None:
    """Lay one attack over a scenario: the first candidate that breaks no law of the benchmark, else None."""
    kind, channel = ATTACKS[attack]
    for attacked in islice(kind.lay(Scene(scenario, attack), template, channel), TRIES):
        if next(complaints(Attacked(template, attacked)), None) is None:
            return attacked
    return None


class Attacked(Case):
    """A case whose timeline is not that of its file: what is wrong with it has no line there."""

    def at_probe(self, probe: Probe, text: str, *_: str) -> Complaint:
        """Complain about a probe."""
        return self._at(f"probe {probe.id!r} {text}")

    def at_event(self, event: Event, text: str, *_: str) -> Complaint:
        """Complain about an event."""
        return self._at(f"the {event.kind} {event.text[:60]!r} {text}")

    def at_claim(self, claim: str, text: str) -> Complaint:
        """Complain about a claim."""
        return self._at(f"claim {claim!r} {text}")

    def _at(self, text: str) -> Complaint:
        where = f"under {self.scenario.overlay} (seed {self.scenario.seed})"
        return Complaint(self.template.path, 0, f"{where}, {text}")


def applying(template: Template, seed: int, attacks: Sequence[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Keep the attacks that apply to a sample."""
    clean = template.sample(seed) if attacks else None
    return [names for names in attacks if clean and Overlay(template, names)(clean) is not None]


def samples(templates: Sequence[Template], seed: int, wanted: str) -> list[tuple[Scenario, Scenario]]:
    """Give each clean sample with itself under each attack that is wanted, or twice where none is.

    Raises BadScenario where none of the attacks applies to any of them.
    """
    pairs = [(Overlay(one, names), one.sample(seed)) for one in templates for names in chosen(wanted) or [()]]
    found = [(clean, attacked) for lay_over, clean in pairs if (attacked := lay_over(clean)) is not None]
    if not found:
        raise BadScenario([nowhere(wanted)])
    return found


def nowhere(attack: str) -> Complaint:
    """Complain of an attack that applies to none of some scenarios."""
    text = f"{attack} applies to none of these scenarios. Choose others, or another attack."
    return Complaint(Path("--attacks"), 0, text)


def unknown(overlay: str) -> list[str]:
    """List the attacks of an overlay that are not laid any more, such as those of another version."""
    return [one for one in overlay.split("+") if one not in ATTACKS]


def described(overlay: str) -> str:
    """Say what an attack does and how it comes in; "" for a version that is no more."""
    known = [ATTACKS[one] for one in overlay.split("+") if one in ATTACKS]
    return "; ".join(f"{kind.about}, {CHANNELS[channel]}" for kind, channel in known)


def is_attack(overlay: str) -> bool:
    """Tell if an overlay of a result is an attack, of this version or another."""
    return all(_ID.fullmatch(one) for one in overlay.split("+"))


def chosen(wanted: str) -> list[tuple[str, ...]]:
    """Read which attacks are wanted, with commas between: `all`, `update` (its channels), `update.web`.

    A `+` lays one over another: `update.web+delete.tool`. Raises BadScenario where a name matches nothing.
    """
    parts = (one.strip() for one in wanted.split(",") if one.strip())
    found = [together(laid) for part in parts for laid in product(*map(_matching, part.split("+")))]
    return list(dict.fromkeys(found))


def matches(wanted: str, overlay: str) -> bool:
    """Tell if an overlay of a result is among those that a name chooses: `all`, `update`, `update.web`, `a+b`."""
    names, laid = wanted.split("+"), overlay.split("+")
    orders = permutations(names) if len(names) == len(laid) else ()
    return is_attack(overlay) and any(all(map(_is_called, order, laid)) for order in orders)


def _is_called(name: str, attack: str) -> bool:
    return name in {"all", attack} or attack.startswith(f"{name}.")


def _matching(name: str) -> list[str]:
    found = [one for one in ATTACKS if _is_called(name.strip(), one)]
    if not found:
        known = [f"{kind}.{channel}" for kind in KINDS for channel in CHANNELS]
        text = f"no attack is called {name!r}.{suggest(name, ['all', *KINDS, *known])}"
        raise BadScenario([Complaint(Path("--attacks"), 0, text)])
    return found
