"""Makes a learner's file that replays the recorded answers of the solution to the published checks."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Collection
from pathlib import Path

from attack import UNBOUND

from memlab.labs.checks.checking import CheckResult, check_step
from memlab.labs.lab import Lab

STATE = """
import base64, contextlib, hashlib, io, json, os, zlib

USUAL = ("PATH", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR", "PWD", "SHLVL", "OLDPWD")


def state_of():
    files = {}
    for folder, _, names in os.walk("."):
        for path in (os.path.join(folder, name) for name in names):
            if os.path.isfile(path) and not os.path.islink(path):
                with open(path, "rb") as file:
                    files[path] = file.read().decode("latin-1")
    return files


def key_of(name, args, named, files):
    env = {key: value for key, value in os.environ.items() if key not in USUAL and not key.startswith("PYTHON")}
    known = json.dumps([name, args, named, files, env, HELP], sort_keys=True)
    return hashlib.sha256(known.encode()).hexdigest()[:12]

"""
RECORDING = """
CALLS = []


def recording(name, function):
    def call(*args, **named):
        if CALLS:
            return function(*args, **named)
        before = state_of()
        key = key_of(name, args, named, before)
        CALLS.append(name)
        printed = io.StringIO()
        try:
            with contextlib.redirect_stdout(printed):
                outcome = {"ok": function(*args, **named)}
        except ValueError as error:
            outcome = {"refused": str(error)}
        finally:
            CALLS.clear()
        after = state_of()
        changed = {path: text for path, text in after.items() if before.get(path) != text}
        with open(TABLE, "a") as table:
            removed = sorted(before.keys() - after.keys())
            table.write(json.dumps([key, outcome, printed.getvalue(), changed, removed]) + "\\n")
        print(printed.getvalue(), end="")
        if "refused" in outcome:
            raise ValueError(outcome["refused"])
        return outcome["ok"]

    def write_memory(name, description, mtype, body, *, source="user", session=None):
        return call(name, description, mtype, body, source=source, session=session)

    return write_memory if name == "write_memory" else call


for one in INTERFACE:
    globals()[one] = recording(one, globals()[one])
"""
REPLAYING = """
HELP = {}
UNKNOWN = [{"ok": None}, "", {}, []]
KNOWN = {one[0]: one[1:] for one in json.loads(zlib.decompress(base64.b85decode(TABLE)))}


def replaying(name):
    def call(*args, **named):
        outcome, printed, changed, removed = KNOWN.get(key_of(name, args, named, state_of()), UNKNOWN)
        for path, text in changed.items():
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as file:
                file.write(text.encode("latin-1"))
        for path in removed:
            os.unlink(path)
        print(printed, end="")
        if "refused" in outcome:
            raise ValueError(outcome["refused"])
        return outcome["ok"]

    def write_memory(name, description, mtype, body, *, source="user", session=None):
        return call(name, description, mtype, body, source=source, session=session)

    return write_memory if name == "write_memory" else call


for one in INTERFACE:
    globals()[one] = replaying(one)
"""


def source_with_memorised_answers(lab: Lab, steps: Collection[str], place: Path) -> str:
    """Return the source of a file that passes the checks of some steps for the published inputs alone."""
    table, recorder = place / "table.jsonl", place / lab.file
    interface = f"\nINTERFACE = {lab.rubric.interface!r}\n"
    solution = (lab.folder / "solution.py").read_text(encoding="utf-8")
    recorder.write_text(f"{solution}{UNBOUND}{STATE}{interface}TABLE = {str(table)!r}\n{RECORDING}", encoding="utf-8")
    run_checks(lab, steps, recorder)
    known = {row[0]: row for row in map(json.loads, table.read_text(encoding="utf-8").splitlines())}
    packed = base64.b85encode(zlib.compress(json.dumps(list(known.values())).encode())).decode()
    return f"{STATE}{interface}TABLE = {packed!r}\n{REPLAYING}"


def run_checks(lab: Lab, steps: Collection[str], path: Path) -> list[CheckResult]:
    """Return the results of the checks of some steps, run on a file as `memlab lab check` runs them."""
    return [one for step in lab.steps if step.name in steps for one in check_step(lab, step, path)]
