"""Checks what a text claims about the environment: each claim is confirmed, refuted or unverifiable."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple

from memlab.memory.heuristics.references import Reference, find_references
from memlab.memory.trust import NOT_TRUSTED, rank
from memlab.memory.world import Lookup, TreeWorld, World

Verdict = Literal["confirmed", "refuted", "unverifiable"]


class Finding(NamedTuple):
    """One thing that a text names (path, flag, variable, symbol or target), the verdict on it, and the reason."""

    kind: str
    name: str
    verdict: Verdict
    reason: str


def check(text: str, world: World | None) -> tuple[Finding, ...]:
    """Look up each path, flag, variable, symbol and target that a text claims to exist; nothing is run or imported.

    Without an environment nothing is found.
    """
    return tuple(Finding(one.kind, one.name, *_judge(one, world)) for one in find_references(text)) if world else ()


def verdict(findings: Iterable[Finding]) -> Verdict:
    """Return the verdict on a text: refuted if any finding is, confirmed if all are (and there is one)."""
    seen = {finding.verdict for finding in findings}
    if "refuted" in seen:
        return "refuted"
    return "confirmed" if seen == {"confirmed"} else "unverifiable"


def _judge(reference: Reference, world: World) -> tuple[Verdict, str]:
    """Return the verdict on a reference, and the reason."""
    kind, name = reference.kind, reference.name
    if reference.doubt:
        return "unverifiable", reference.doubt
    lookup = _look_up(reference, world)
    if lookup.presence == "unknown":
        return "unverifiable", lookup.reason
    if lookup.presence == "absent":
        if reference.sure or (kind == "path" and world.file(name.split("/")[0]).presence == "present"):
            return "refuted", f"{kind} {name} is not there"
        return "unverifiable", f"{name} may be no {kind} at all"
    if rank(lookup.by) == NOT_TRUSTED:
        return "unverifiable", f"{name} was put there by {lookup.by}"
    return "confirmed", f"{kind} {name} is there"


def _look_up(reference: Reference, world: World) -> Lookup:
    if reference.kind == "path":
        found = _first(map(world.file, (reference.name, *reference.places)), "absent")
        return world.anywhere(reference.name) if found.presence == "absent" and isinstance(world, TreeWorld) else found
    if reference.kind == "target":
        runner, *_, target = reference.name.split()
        unknown = Lookup("unknown", reason=f"the targets of {runner} cannot be looked up")
        return world.target(runner, target) if isinstance(world, TreeWorld) else unknown
    if reference.kind == "flag":
        return _first((world.flag(command, reference.name) for command in reference.places), "unknown")
    if reference.kind == "variable":
        return world.variable(reference.name)
    return world.symbol(reference.name)


def _first(lookups: Iterable[Lookup], nothing: str) -> Lookup:
    """Return the first lookup whose presence is not `nothing`, else the first lookup."""
    first = None
    for lookup in lookups:
        if lookup.presence != nothing:
            return lookup
        first = first or lookup
    return first or Lookup("unknown", reason="no command is named with it")
