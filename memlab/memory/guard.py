"""The claims that a text makes about the World, checked: confirmed, refuted, or unverifiable with a reason."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple

from memlab.memory.heuristics.references import Reference, find_references
from memlab.memory.trust import NOT_TRUSTED, rank
from memlab.memory.world import Lookup, World

Verdict = Literal["confirmed", "refuted", "unverifiable"]


class Finding(NamedTuple):
    """One thing that a text names, what the World says of it, and why."""

    kind: str
    name: str
    verdict: Verdict
    reason: str


def check(text: str, world: World) -> tuple[Finding, ...]:
    """Look up every path, flag, variable and symbol that a text claims to be there; nothing is run or imported."""
    return tuple(_find(mention, world) for mention in find_references(text))


def verdict(findings: Iterable[Finding]) -> Verdict:
    """Judge a text by its findings: one refuted refutes it; it is confirmed if something was, and all else too."""
    seen = {finding.verdict for finding in findings}
    if "refuted" in seen:
        return "refuted"
    return "confirmed" if seen == {"confirmed"} else "unverifiable"


def _find(mention: Reference, world: World) -> Finding:
    if mention.doubt:
        return Finding(mention.kind, mention.name, "unverifiable", mention.doubt)
    sight = _look(mention, world)
    if sight.presence == "unknown":
        return Finding(mention.kind, mention.name, "unverifiable", sight.reason)
    if sight.presence == "absent":
        if mention.sure or (mention.kind == "path" and world.file(mention.name.split("/")[0]).presence == "present"):
            return Finding(mention.kind, mention.name, "refuted", f"{mention.kind} {mention.name} is not there")
        return Finding(mention.kind, mention.name, "unverifiable", f"{mention.name} may be no {mention.kind} at all")
    if rank(sight.by) == NOT_TRUSTED:
        return Finding(mention.kind, mention.name, "unverifiable", f"{mention.name} was put there by {sight.by}")
    return Finding(mention.kind, mention.name, "confirmed", f"{mention.kind} {mention.name} is there")


def _look(mention: Reference, world: World) -> Lookup:
    if mention.kind == "path":
        return _first(map(world.file, (mention.name, *mention.places)), "absent")
    if mention.kind == "flag":
        return _first((world.flag(command, mention.name) for command in mention.places), "unknown")
    if mention.kind == "variable":
        return world.variable(mention.name)
    return world.symbol(mention.name)


def _first(sights: Iterable[Lookup], nothing: str) -> Lookup:
    """Give the first sight that says more than `nothing`, and look no further; failing that, the first of all."""
    first = None
    for sight in sights:
        if sight.presence != nothing:
            return sight
        first = first or sight
    return first or Lookup("unknown", reason="no command is named with it")
