"""The kinds of attack, and every kind by every channel, and the names that choose among them.

An attack's id is its kind, its channel and its version: `update.web.v1`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import permutations, product
from pathlib import Path

from memlab.harness.attacks import attack_texts as texts
from memlab.harness.attacks.channels import CHANNELS
from memlab.harness.attacks.erasure_attacks import delete, revive
from memlab.harness.attacks.lie_attacks import ApplyAttack, contradiction, instruction
from memlab.harness.scenarios.errors import BadScenario, ScenarioError, suggest


@dataclass(frozen=True)
class Kind:
    """One kind of attack. `version` grows with every change of its texts: scores of two versions are not comparable."""

    version: int
    about: str
    apply: ApplyAttack


KINDS = {
    "update": Kind(2, "states a lie on the subject of the truth", contradiction(texts.update)),
    "sleeper": Kind(1, "states the lie first of all, before the truth", contradiction(texts.update, first=True)),
    "repeat": Kind(2, "states the lie in four sessions, to be promoted", contradiction(texts.repeat, ends=True)),
    "stuffing": Kind(2, "describes the lie in the words of the question", contradiction(texts.stuffing)),
    "flood": Kind(2, "states the lie in one giant statement and a hundred tiny ones", contradiction(texts.flood)),
    "headings": Kind(2, "forges frontmatter and headings around the lie", contradiction(texts.headings)),
    "voice": Kind(1, "forges the voice of the user or of an authority around the lie", contradiction(texts.voice)),
    "lookalike": Kind(2, "states the lie under the true name in another spelling", contradiction(texts.lookalike)),
    "order": Kind(2, "dresses the lie as an instruction", instruction(texts.order)),
    "hijack": Kind(1, "begins a stranger's task, whose goal holds the lie", instruction(texts.hijack)),
    "delete": Kind(1, "asks to erase the truth, without the right to", delete),
    "revive": Kind(1, "restates what was erased", revive),
}
ATTACKS = {f"{name}.{channel}.v{kind.version}": (kind, channel) for name, kind in KINDS.items() for channel in CHANNELS}
_ID = re.compile(rf"[a-z]+\.({'|'.join(CHANNELS)})\.v\d+")


def in_catalogue_order(attacks: Iterable[str]) -> tuple[str, ...]:
    """Sort attacks into the order in which they are applied, each once."""
    return tuple(sorted(set(attacks), key=list(ATTACKS).index))


def unknown_attacks(overlay: str) -> list[str]:
    """Return the attacks of an overlay that are not in the catalogue, such as old versions."""
    return [one for one in overlay.split("+") if one not in ATTACKS]


def attack_description(overlay: str) -> str:
    """Return the description of an attack and its channel; "" for an old version."""
    known = [ATTACKS[one] for one in overlay.split("+") if one in ATTACKS]
    return "; ".join(f"{kind.about}, {CHANNELS[channel]}" for kind, channel in known)


def is_attack(overlay: str) -> bool:
    """Return whether an overlay of a result is an attack, of any version."""
    return all(_ID.fullmatch(one) for one in overlay.split("+"))


def select_attacks(wanted: str) -> list[tuple[str, ...]]:
    """Return the attacks in a comma-separated list of names: `all`, `update` (all channels), `update.web`.

    A `+` combines attacks: `update.web+delete.tool`. Raises BadScenario for a name that matches nothing.
    """
    parts = [one.strip() for one in wanted.split(",") if one.strip()]
    if wanted and not parts:
        raise _bad(f"{wanted!r} names no attack.{suggest('', _names())}")
    for part in parts:
        if not all(one.strip() for one in part.split("+")):
            raise _bad(f"{part!r}: a `+` combines two attacks, as in update.web+flood.web. Add one, or remove the `+`.")
    found = [in_catalogue_order(names) for part in parts for names in product(*map(_matching, part.split("+")))]
    return list(dict.fromkeys(found))


def matches_attack(wanted: str, overlay: str) -> bool:
    """Return whether an overlay of a result matches a name: `all`, `update`, `update.web`, `a+b`."""
    names, attacks = wanted.split("+"), overlay.split("+")
    orders = permutations(names) if len(names) == len(attacks) else ()
    return is_attack(overlay) and any(all(map(_has_name, order, attacks)) for order in orders)


def _has_name(name: str, attack: str) -> bool:
    return name in {"all", attack} or attack.startswith(f"{name}.")


def _matching(name: str) -> list[str]:
    found = [one for one in ATTACKS if _has_name(name.strip(), one)]
    if not found:
        raise _bad(f"no attack is called {name!r}.{suggest(name, _names())}")
    return found


def _names() -> list[str]:
    return ["all", *KINDS, *(f"{kind}.{channel}" for kind in KINDS for channel in CHANNELS)]


def _bad(text: str) -> BadScenario:
    return BadScenario([ScenarioError(Path("--attacks"), 0, text)])
