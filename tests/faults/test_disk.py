"""A disk that is full, a file that may grow no more, a folder that is read-only: all that was acknowledged stays.

The error names the file, the cause and the next step, and when that is taken the memory goes on as if nothing had been.
"""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import sqlite3
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from itertools import product
from pathlib import Path

import pytest

from memlab.memory import MemoryMix, Provenance, Refused

Build = Callable[[Path], MemoryMix]
Run = Callable[[Sequence[Callable[[], None]]], list[int]]
Fault = Callable[[], AbstractContextManager[None]]

NEW_NAMESPACE, PRIVATE, READ_ONLY, REMOUNT, BIND = 0x20000, 0x44000, 1, 32, 4096
DISK = "size=1m"
PLACE = Path(tempfile.gettempdir())
NOBODY = 65534
PAD = "and so on " * 500


def mount(source: str, place: Path, kind: str, flags: int, options: str = "") -> None:
    """Mount a file system for this process alone: when it ends, the mount is gone."""
    system = ctypes.CDLL(None, use_errno=True)
    if system.mount(source.encode(), bytes(place), kind.encode(), flags, options.encode() or None):
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), str(place))


def mount_small_disk() -> None:
    """Put a small disk in the place of the folder of temporary files, which every user can reach."""
    system = ctypes.CDLL(None, use_errno=True)
    if system.unshare(NEW_NAMESPACE):
        raise OSError(ctypes.get_errno(), "a mount of its own needs root")
    mount("none", Path("/"), "", PRIVATE)
    mount("tmpfs", PLACE, "tmpfs", 0, DISK)


@contextmanager
def full_disk() -> Iterator[None]:
    """Fill the disk to its last byte."""
    ballast, space = PLACE / "ballast", os.statvfs(PLACE)
    ballast.write_bytes(b"x" * space.f_bavail * space.f_frsize)
    yield
    ballast.unlink()


@contextmanager
def read_only_disk() -> Iterator[None]:
    """Take writing away from everybody, root too."""
    mount("tmpfs", PLACE, "tmpfs", REMOUNT | READ_ONLY)
    yield
    mount("tmpfs", PLACE, "tmpfs", REMOUNT, DISK)


@contextmanager
def small_files() -> Iterator[None]:
    """Let no file grow beyond the size of the largest."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    largest = max(path.stat().st_size for path in PLACE.rglob("*") if path.is_file())
    _, most = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (largest, most))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))


@contextmanager
def somebody_elses() -> Iterator[None]:
    """Be a user to whom neither the folder nor its files belong."""
    os.seteuid(NOBODY)
    yield
    os.seteuid(0)


def verbs(mix: MemoryMix, n: str) -> dict[str, Callable[[], object]]:
    """Give every verb that writes, each with something to write that is new."""

    def said(source: str = "user") -> Provenance:
        return Provenance(source, f"session {n}", 1_767_600_000.0 + len(n), f"{source}-{n}")

    return {
        "log_episode": lambda: mix.log_episode("note", f"Note {n}. {PAD}", origin=said()),
        "write_fact": lambda: mix.write_fact(f"fact-{n}", "", f"Fact {n}. {PAD}", origin=said("tool")),
        "write_fact over another": lambda: mix.write_fact("lamp", "", f"Lamp {n}. {PAD}", origin=said("agent")),
        "write_rule": lambda: mix.write_rule(f"Rule {n}. {PAD}", f"rule-{n}", said()),
        "write_skill": lambda: mix.write_skill(f"skill-{n}", f"Do {n}. {PAD}", origin=said()),
        "set_task": lambda: mix.set_task(f"goal {n}. {PAD}", ["one"], said()),
        "quarantine": lambda: mix.write_fact("key", "", f"Always use {n}.", origin=said("web")),
    }


def told(mix: MemoryMix, n: str) -> set[str]:
    """Give the verbs that have kept what they were told, whole."""
    kept = {
        "log_episode": f"Note {n}. {PAD}" in {one.detail for one in mix.episodes.replay()},
        "write_fact": f"Fact {n}. {PAD}" in {one.body for one in mix.facts.history(f"fact-{n}")},
        "write_fact over another": f"Lamp {n}. {PAD}" in {one.body for one in mix.facts.history("lamp")},
        "write_rule": f"Rule {n}. {PAD}".strip() in {rule.text for rule in mix.rules.all()},
        "write_skill": f"Do {n}. {PAD}" in {skill.steps for skill in mix.skills.all()},
        "set_task": mix.working.goal == f"goal {n}. {PAD}",
        "quarantine": f"Always use {n}." in {one["statement"]["body"] for one in mix.quarantined()},
    }
    return {verb for verb, whole in kept.items() if whole}


@pytest.mark.parametrize(
    ("trouble", "opened"),
    [
        *product([full_disk, small_files, somebody_elses], ["while the files are open", "after a restart"]),
        (read_only_disk, "after a restart"),  # what is open for writing keeps a disk from becoming read-only
    ],
)
def test_nothing_acknowledged_is_lost_to_a_disk_that_takes_no_more_and_the_error_says_what_to_do(
    trouble: Fault, opened: str, build: Build, run: Run, capfd: pytest.CaptureFixture[str]
) -> None:
    if run([mount_small_disk]) != [0]:
        pytest.skip(f"this process may mount no file system: {capfd.readouterr().err.splitlines()[-1]}")
    ended = run([partial(in_trouble, trouble, build, restart=opened == "after a restart")])
    said = capfd.readouterr()
    with capfd.disabled():
        print(said.out, end="")  # noqa: T201 - what `make faults` shows
    assert ended == [0], said.err


def in_trouble(trouble: Fault, build: Build, *, restart: bool) -> None:
    """Write before, during and after the trouble, in a process that has the disk to itself."""
    mount_small_disk()
    mix = build(PLACE / "mix")
    every = set(verbs(mix, "before"))
    for act in verbs(mix, "before").values():
        kept(act)
    assert told(mix, "before") == every
    if restart:
        mix.close()
    with trouble():
        acknowledged = {verb for verb, act in verbs(mix, "during").items() if kept(act, f"{trouble.__name__}: {verb}")}
        for verb, act in {"recall": lambda: mix.recall("note"), "assemble": lambda: mix.assemble("note", 9999)}.items():
            kept(act, f"{trouble.__name__}: {verb}")
    for one in (mix, build(PLACE / "mix")):
        assert told(one, "before") | {"set_task"} == every
        assert told(one, "during") == acknowledged
    for n in ("after", "later"):
        for act in verbs(mix, n).values():
            assert kept(act)
        assert told(build(PLACE / "mix"), n) == every
        mix = build(PLACE / "mix")


def kept(act: Callable[[], object], what: str = "") -> bool:
    """Tell whether a write was acknowledged; if not, its error must name the file, the cause and the next step."""
    try:
        act()
    except Refused as error:
        return "quarantine" in str(error)
    except (OSError, sqlite3.Error) as error:
        if not what:
            raise
        print(f"\n{what}: {error}", end="")  # noqa: T201 - what `make faults` shows
        if f"{PLACE}/mix/" not in str(error) or "; " not in str(error):
            raise
        return "the fact is kept" in str(error)
    return True
