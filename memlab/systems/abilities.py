"""What a system declares that it cannot do: `cannot = ("erase",)`. The probes that need it are not applicable."""

from __future__ import annotations

from collections.abc import Collection

from memlab.terms import Key

ABILITIES = ("recall", "assemble", "erase")
"""What a class may list in its attribute `cannot`."""


def declared_limits(system: object) -> tuple[str, ...]:
    """Return a system's attribute `cannot`, () if it has none. Raises ValueError if it lists something unknown."""
    found = getattr(system, "cannot", ())
    listed = tuple(found) if isinstance(found, list | tuple | set | frozenset) else (found,)
    for one in listed:
        if one not in ABILITIES:
            raise ValueError(f"cannot = {found!r} lists {one!r}, expected a tuple of {', '.join(map(repr, ABILITIES))}")
    return tuple(one for one in ABILITIES if one in listed)


def why_not_applicable(system: str, cannot: Collection[str], key: Key, *, has_window: bool) -> str:
    """Return why a probe does not apply to a system that cannot do these things, "" if it applies.

    A probe needs its own verb, and `erase` if it forbids a claim that was erased.
    """
    if key.verb == "window" and not has_window:
        return f"{system!r} has no window(task, budget, turns, results)"
    needed = (key.verb, *(["erase"] if "erased" in key.forbid.values() else []))
    missing = [ability for ability in needed if ability in cannot]
    return f"{system!r} declares that it cannot {' or '.join(missing)}" if missing else ""
