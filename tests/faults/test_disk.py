"""A full disk, a limited file size, a read-only folder: no acknowledged write is lost.

The error names the file, the cause and the next step; after that step the memory works as before.
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
    """Mount a small disk over the folder of temporary files, which every user can reach."""
    system = ctypes.CDLL(None, use_errno=True)
    if system.unshare(NEW_NAMESPACE):
        raise OSError(ctypes.get_errno(), "a mount of its own needs root")
    mount("none", Path("/"), "", PRIVATE)
    mount("tmpfs", PLACE, "tmpfs", 0, DISK)


@contextmanager
def full_disk() -> Iterator[None]:
    """Fill the disk completely."""
    ballast, space = PLACE / "ballast", os.statvfs(PLACE)
    ballast.write_bytes(b"x" * space.f_bavail * space.f_frsize)
    yield
    ballast.unlink()


@contextmanager
def read_only_disk() -> Iterator[None]:
    """Make the disk read-only for everybody, root included."""
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
def foreign_user() -> Iterator[None]:
    """Become a user who owns neither the folder nor its files."""
    os.seteuid(NOBODY)
    yield
    os.seteuid(0)


def verbs(mix: MemoryMix, n: str) -> dict[str, Callable[[], object]]:
    """Return every verb that writes, each with something new to write."""

    def origin(source: str = "user") -> Provenance:
        return Provenance(source, f"session {n}", 1_767_600_000.0 + len(n), f"{source}-{n}")

    return {
        "log_episode": lambda: mix.log_episode("note", f"Note {n}. {PAD}", origin=origin()),
        "write_fact": lambda: mix.write_fact(f"fact-{n}", "", f"Fact {n}. {PAD}", origin=origin("tool")),
        "write_fact over another": lambda: mix.write_fact("lamp", "", f"Lamp {n}. {PAD}", origin=origin("agent")),
        "write_rule": lambda: mix.write_rule(f"Rule {n}. {PAD}", f"rule-{n}", origin()),
        "write_skill": lambda: mix.write_skill(f"skill-{n}", f"Do {n}. {PAD}", origin=origin()),
        "set_task": lambda: mix.set_task(f"goal {n}. {PAD}", ["one"], origin()),
        "quarantine": lambda: mix.write_fact("key", "", f"Always use {n}.", origin=origin("web")),
    }


def stored_verbs(mix: MemoryMix, n: str) -> set[str]:
    """Return the verbs whose write is stored completely."""
    stored = {
        "log_episode": f"Note {n}. {PAD}" in {one.detail for one in mix.episodes.replay()},
        "write_fact": f"Fact {n}. {PAD}" in {one.body for one in mix.facts.history(f"fact-{n}")},
        "write_fact over another": f"Lamp {n}. {PAD}" in {one.body for one in mix.facts.history("lamp")},
        "write_rule": f"Rule {n}. {PAD}".strip() in {rule.text for rule in mix.rules.all()},
        "write_skill": f"Do {n}. {PAD}" in {skill.steps for skill in mix.skills.all()},
        "set_task": mix.working.goal == f"goal {n}. {PAD}",
        "quarantine": f"Always use {n}." in {one["statement"]["body"] for one in mix.quarantined()},
    }
    return {verb for verb, is_stored in stored.items() if is_stored}


@pytest.mark.parametrize(
    ("fault", "opened"),
    [
        *product([full_disk, small_files, foreign_user], ["while the files are open", "after a restart"]),
        (read_only_disk, "after a restart"),  # what is open for writing keeps a disk from becoming read-only
    ],
)
def test_no_acknowledged_write_is_lost_on_a_full_disk_and_the_error_says_what_to_do(
    fault: Fault, opened: str, build: Build, run: Run, capfd: pytest.CaptureFixture[str]
) -> None:
    if run([mount_small_disk]) != [0]:
        pytest.skip(f"this process may mount no file system: {capfd.readouterr().err.splitlines()[-1]}")
    ended = run([partial(write_around_fault, fault, build, restart=opened == "after a restart")])
    output = capfd.readouterr()
    with capfd.disabled():
        print(output.out, end="")  # noqa: T201 - the output of `make faults`
    assert ended == [0], output.err


def write_around_fault(fault: Fault, build: Build, *, restart: bool) -> None:
    """Write before, during and after the fault, in a process with its own disk."""
    mount_small_disk()
    mix = build(PLACE / "mix")
    every = set(verbs(mix, "before"))
    for act in verbs(mix, "before").values():
        is_acknowledged(act)
    assert stored_verbs(mix, "before") == every
    if restart:
        mix.close()
    with fault():
        acknowledged = {
            verb for verb, act in verbs(mix, "during").items() if is_acknowledged(act, f"{fault.__name__}: {verb}")
        }
        for verb, act in {"recall": lambda: mix.recall("note"), "assemble": lambda: mix.assemble("note", 9999)}.items():
            is_acknowledged(act, f"{fault.__name__}: {verb}")
    for one in (mix, build(PLACE / "mix")):
        assert stored_verbs(one, "before") | {"set_task"} == every
        assert stored_verbs(one, "during") == acknowledged
    for n in ("after", "later"):
        for act in verbs(mix, n).values():
            assert is_acknowledged(act)
        assert stored_verbs(build(PLACE / "mix"), n) == every
        mix = build(PLACE / "mix")


def is_acknowledged(act: Callable[[], object], label: str = "") -> bool:
    """Return whether a write was acknowledged; if not, its error must name the file, the cause and the next step."""
    try:
        act()
    except Refused as error:
        return "quarantine" in str(error)
    except (OSError, sqlite3.Error) as error:
        if not label:
            raise
        print(f"\n{label}: {error}", end="")  # noqa: T201 - the output of `make faults`
        if f"{PLACE}/mix/" not in str(error) or "; " not in str(error):
            raise
        return "the fact is stored" in str(error)
    return True
