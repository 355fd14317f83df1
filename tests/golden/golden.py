"""Hashes of what memlab computes, to prove that a change of names or layout changed no result.

    python tests/golden/golden.py            compare with golden.json: exit code 1 if a value differs
    python tests/golden/golden.py --freeze   write golden.json anew

Each artefact has two hashes. `values` covers what is computed: answers, scores, marks, and every number that is shown.
`words` covers the sentences around them, which a change of wording may change.
"""

from __future__ import annotations

import csv
import hashlib
import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

import nbformat

from memlab.labs.handout import make_notebooks

ROOT = Path(__file__).resolve().parents[2]
GOLDEN = Path(__file__).with_name("golden.json")
MEMLAB = Path(sys.executable).with_name("memlab")
LONG_TASKS = "pilot-for-the-fog-bank,same-list-five-nights"
LAB_FILES = {"06": "memory_store.py", "07": "memory_mix.py"}
WORDS = ("notes", "error", "isolation")
"""Fields of a result that hold sentences, or names of this machine."""
NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
ADDRESS = re.compile(r"0x[0-9a-f]+")
Artefact = tuple[str, list[str], list[str]]
"""A name, the lines of its values, the lines of its words."""


def main(*options: str) -> int:
    """Compute every artefact, and compare it with golden.json or freeze it. Returns the exit code."""
    with tempfile.TemporaryDirectory(prefix="golden-") as folder:
        found = {name: {"values": digest(values), "words": digest(words)} for name, values, words in all_of(folder)}
    if "--freeze" in options:
        GOLDEN.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
        return 0
    return report(found, json.loads(GOLDEN.read_text(encoding="utf-8")))


def all_of(folder: str) -> Iterator[Artefact]:
    """Compute one artefact after the other."""
    yield from comparison(Path(folder))
    for number, file_name in LAB_FILES.items():
        yield notebook(f"lab{number}_solved")
        yield gradebook(Path(folder), number, file_name)
    yield long_tasks(Path(folder))


def report(found: dict[str, dict[str, str]], golden: dict[str, dict[str, str]]) -> int:
    """Print one line for each hash. Returns 1 if a value differs."""
    for name, hashes in found.items():
        for part, value in hashes.items():
            same = "identical" if golden[name][part] == value else "DIFFERENT"
            sys.stdout.write(f"{name:20} {part:7} {value} {same}\n")
    return int(any(hashes["values"] != golden[name]["values"] for name, hashes in found.items()))


def comparison(folder: Path) -> Iterator[Artefact]:
    """Compare all systems at five seeds: results.jsonl and table.csv, without times."""
    run("compare", "--seeds", "5", "--jobs", "2", "--out", str(folder / "compared"))
    values, words = [], []
    for text in (folder / "compared/results.jsonl").read_text(encoding="utf-8").splitlines():
        line = {name: value for name, value in json.loads(text).items() if name not in {"seconds", "observe_seconds"}}
        words.append(json.dumps([line.pop(name, None) for name in WORDS]))
        values.append(json.dumps(line, sort_keys=True))
    yield "results.jsonl", values, words
    table = (folder / "compared/table.csv").read_text(encoding="utf-8").splitlines()
    yield "table.csv", [line for line in table if "seconds," not in line], []


def notebook(name: str) -> Artefact:
    """Run a solved notebook: the numbers in its outputs, and their whole text. Pictures are left out."""
    read = nbformat.read(ROOT / f"notebooks/{name}.ipynb", as_version=4)  # type: ignore[no-untyped-call] # it has no hints
    make_notebooks.execute(read)
    texts = [ADDRESS.sub("0x", text) for cell in read.cells if cell.cell_type == "code" for text in outputs(cell)]
    return name, [" ".join(NUMBER.findall(text)) for text in texts], texts


def outputs(cell: nbformat.NotebookNode) -> Iterator[str]:
    """Give the texts of a cell's outputs; what one stream printed is one text."""
    for stream, pieces in groupby(cell.outputs, lambda one: one.get("name", "")):
        if stream:
            yield "".join(one["text"] for one in pieces)
        else:
            yield from (one.get("data", {}).get("text/plain", "") for one in pieces)


def gradebook(folder: Path, number: str, file_name: str) -> Artefact:
    """Grade the honest files of a lab, and the lab's own three, with a fixed seed."""
    students = folder / f"class{number}"
    own = [ROOT / f"labs/lab{number}/{name}.py" for name in ("published", "skeleton", "solution")]
    for path in [*sorted((ROOT / f"tests/labs/styles/lab{number}").glob("*.py")), *own]:
        (students / path.stem).mkdir(parents=True)
        shutil.copy(path, students / path.stem / file_name)
    marks = folder / f"marks{number}"
    run("grade", str(students), "--lab", number, "--seed", "7", "--jobs", "2", "--out", str(marks))
    with (marks / "gradebook.csv").open(encoding="utf-8-sig", newline="") as stream:
        rows = list(csv.DictReader(stream))
    texts = [json.dumps([row.pop("says"), row.pop("digest")]) for row in rows]
    return f"gradebook lab {number}", [json.dumps(row) for row in rows], texts


def long_tasks(folder: Path) -> Artefact:
    """Play two long tasks to every system."""
    run("turns", "--tasks", LONG_TASKS, "--out", str(folder / "turns"))
    return "turns.csv", (folder / "turns/turns.csv").read_text(encoding="utf-8").splitlines(), []


def run(*words: str) -> None:
    """Run memlab. Raises CalledProcessError where it fails."""
    subprocess.run([MEMLAB, *words], check=True, capture_output=True, cwd=ROOT)


def digest(lines: list[str]) -> str:
    """Hash some lines in their order."""
    return hashlib.blake2b("\n".join(lines).encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
