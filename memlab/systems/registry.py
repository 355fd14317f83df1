"""Resolves a name, an entry point or `path/to/file.py:Class` to an Entry."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache

from memlab.systems import bm25, bucket_guarded, oracle
from memlab.systems.child import system as child_system
from memlab.systems.child.confinement import Confinement
from memlab.systems.degenerate import baselines, cheap_filters, first_statement, guarded_dumps, one_fact
from memlab.systems.documents import rows
from memlab.systems.entry import Entry, Group, UnknownSystem, did_you_mean
from memlab.systems.labs import lab06, lab07
from memlab.systems.products import rows as products
from memlab.systems.reference import hybrid, hybrid_forgetting, hybrid_stores
from memlab.systems.single_bucket import ABOUT, BUILDS
from memlab.terms import Build

ENTRY_POINTS = "memlab.systems"
"""The entry point group in which an installed package names its systems."""
ON_REQUEST: frozenset[Group] = frozenset({"documents", "forgetting"})
"""Groups that are played only if they are named, as in `--systems documents`: they would double the time of a run."""
PEEKER = "Looks the answer up in processes, memory, files and earlier runs: wins where no sandbox keeps it out."

WITH_MODEL = {**rows.WITH_MODEL, **products.WITH_MODEL}
"""The rows that a model has a part in, by name."""
DEGENERATE = (baselines, one_fact, first_statement, guarded_dumps, cheap_filters)


_of_this_process: dict[str, Entry] = {}


@cache
def entries() -> tuple[Entry, ...]:
    """Return every system that needs nothing else: reference, buckets, labs, documents, ablations, degenerate ones."""
    return (
        hybrid.REFERENCE,
        *_table("bucket", BUILDS, ABOUT),
        Entry("bucket-guarded", bucket_guarded.ABOUT, "bucket", bucket_guarded.BucketGuarded),
        Entry("bm25", bm25.ABOUT, "bucket", bm25.BM25),
        Entry("lab06", lab06.ABOUT, "lab", lab06.build, document="002"),
        Entry("lab07", lab07.ABOUT, "lab", lab07.build, document="000"),
        *rows.ENTRIES,
        *hybrid_forgetting.ENTRIES,
        *hybrid.ABLATIONS,
        *hybrid_stores.STORES_TAKEN_AWAY,
        Entry("oracle", oracle.ABOUT, "degenerate", oracle.Oracle, sees_key=True),
        *(one for some in DEGENERATE for one in _table("degenerate", some.BUILDS, some.ABOUT)),
        _peeker(child_system.BEST),
    )


@cache
def all_entries() -> tuple[Entry, ...]:
    """Return every built-in system: `entries()`, and those that need what an extra installs."""
    return (*entries(), *hybrid.WITH_ENCODER, *products.ENTRIES)


def default_entries() -> list[Entry]:
    """Return the systems that are played if none is named: all that need no extra, but ON_REQUEST."""
    return [one for one in entries() if one.group not in ON_REQUEST]


def names_of(name: str) -> list[str]:
    """Return the names of a group's systems; any other name as it is."""
    return [one.name for one in all_entries() if one.group == name] or [name]


def entry(name: str, limit: float = child_system.LIMIT, confinement: Confinement = child_system.BEST) -> Entry:
    """Resolve a name or a path to a system. Raises UnknownSystem, NotInstalled for a product that is not installed.

    In a child process, a call may take `limit` seconds, and `confinement` is its sandbox.
    """
    if name in _of_this_process:
        return _of_this_process[name]
    for known in all_entries():
        if known.name == name:
            return _peeker(confinement) if known.child and confinement != child_system.BEST else known.require()
    if not name.isprintable():
        raise UnknownSystem(f"{name!a} cannot be printed in a table. Rename the file or the class.")
    if ".py" in name or "/" in name:
        return child_system.from_path(name, limit, confinement)
    from importlib.metadata import entry_points  # noqa: PLC0415 - slow to import, and only needed for outside names

    installed = {point.name: point.value for point in entry_points(group=ENTRY_POINTS)}
    if name in installed:
        return child_system.from_object(name, installed[name], limit, confinement)
    if name in WITH_MODEL:
        raise UnknownSystem(f"{name} is played by a language model: add --model, as docs/how-to/models.md shows.")
    known_names = [known.name for known in all_entries()] + sorted(installed)
    raise UnknownSystem(
        f"no system is called {name!r}.{did_you_mean(name, known_names)} Known: {', '.join(known_names)}. "
        "Your own is given as path/to/file.py:Class."
    )


def register(own: Entry) -> Entry:
    """Make a system known by its name in this process, instead of an earlier one; return it. Raises UnknownSystem."""
    if own.name in {known.name for known in all_entries()}:
        raise UnknownSystem(f"memlab has a system {own.name!r}: give your class another name.")
    _of_this_process[own.name] = own
    return own


def registered(name: str) -> Entry | None:
    """Return the product that this process registered by a name, None if there is none."""
    found = _of_this_process.get(name)
    return found if found and found.group == "products" else None


def _peeker(confinement: Confinement) -> Entry:
    found = child_system.from_object("peeker", "memlab.systems.peeker.peeker:Peeker", confinement=confinement)
    return replace(found, about=PEEKER, group="degenerate")


def _table(group: Group, builds: Mapping[str, Build], about: Mapping[str, str]) -> list[Entry]:
    return [Entry(name, about[name], group, build) for name, build in builds.items()]
