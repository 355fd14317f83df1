"""Prints how many refuted references of real instruction files are really gone, and how many of those gone are found.

    python evals/heuristics/report_references.py --data FOLDER [--audit]

Each repository is laid out as a folder of empty files, with the names of its build targets, scripts and ignored paths;
its instruction file is checked line by line, without environment variables and without the help of any command. With
`--audit` it is audited as a whole, as `memlab audit` does; words that the corpus did not count are taken as present.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from memlab.audit.audit import audit
from memlab.memory.environment.live_world import LiveWorld
from memlab.memory.heuristics.reference_check import Finding, check

PLACE = "instructions"


class Refuted(NamedTuple):
    """A refuted reference, and its label: that of the corpus, or nothing."""

    repo: str
    line: int
    finding: Finding
    label: str


def lay_out(repository: dict[str, Any], root: Path) -> None:
    """Create the tree of a repository: empty files, but for targets, scripts, ignored paths and the file itself."""
    contents = {repository["file"]: repository["text"], **repository["ignore"]}
    for kind, files in repository["scripts"].items():
        for place, names in files.items():
            contents[place] = _declared(kind, names) + ("includes:\n" if kind == "taskfile" and len(files) > 1 else "")
    contents["word_hits.txt"] = "\n".join({*_counted(repository), *repository["env"]})
    dropped = [f"{folder}/dropped" for folder in repository.get("tree_dropped_folders") or []]
    for place in [*repository["tree"], *dropped, *contents]:
        path = root / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(contents.get(place, ""), encoding="utf-8")


def _counted(repository: dict[str, Any]) -> list[str]:
    """Return the words of the instruction file, but for those of which the corpus says that no other file has them."""
    hits = repository["word_hits"] or {}
    return [word for word in re.findall(r"--[A-Za-z][\w-]*|[A-Za-z_]\w*", repository["text"]) if hits.get(word, 1)]


def _declared(kind: str, names: Any) -> str:  # noqa: ANN401 - a list or a table of lists
    """Return the text of a file that declares these targets or scripts."""
    if kind in {"make", "just"}:
        return "".join(f"{name}:\n" for name in names)
    if kind == "taskfile":
        return "tasks:\n" + "".join(f"  {name}:\n" for name in names)
    if kind == "package.json":
        return json.dumps({"scripts": dict.fromkeys(names, "")})
    if kind == "pyproject" and isinstance(names, dict):
        return "".join(f"[{table}]\n" + "".join(f'"{name}" = ""\n' for name in found) for table, found in names.items())
    return ""


def refuted_in(repository: dict[str, Any], labels: dict[tuple[str, int], dict[str, str]]) -> list[Refuted]:
    """Return the refuted references of an instruction file, with their labels."""
    with TemporaryDirectory() as folder:
        lay_out(repository, Path(folder))
        world = LiveWorld(Path(folder), env={})
        found = []
        for number, line in enumerate(repository["text"].splitlines(), 1):
            known = labels.get((repository["repo"], number), {})
            found += [
                Refuted(repository["repo"], number, finding, label_of(finding.name, known))
                for finding in check(line, world)
                if finding.verdict == "refuted"
            ]
    return found


def missing_in(repository: dict[str, Any], labels: dict[tuple[str, int], dict[str, str]]) -> list[Refuted]:
    """Return what the audit of an instruction file finds missing, with its labels."""
    with TemporaryDirectory() as folder:
        lay_out(repository, Path(folder))
        found = audit(Path(folder) / repository["file"], Path(folder)).findings
        return [
            Refuted(
                repository["repo"],
                one.line,
                Finding(one.message.split()[2], one.about, "refuted", one.message),
                label_of(one.about, labels.get((repository["repo"], one.line), {})),
            )
            for one in found
            if one.kind == "missing"
        ]


def label_of(name: str, known: dict[str, str]) -> str:
    """Return the label of a reference on its line; of a longer or shorter way to write it if there is none."""
    alike = [label for one, label in known.items() if one.strip("/.") == name.strip("/.")]
    alike += [label for one, label in known.items() if name.strip("/.") in one or one.strip("/.") in name]
    return alike[0] if alike else ""


def _rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def found_among(gone: set[tuple[str, int, str]], refuted: list[Refuted]) -> set[tuple[str, int, str]]:
    """Return those of the references (repository, line, name) that are refuted on their line."""
    return {
        (repo, line, name)
        for repo, line, name in gone
        for one in refuted
        if (one.repo, one.line) == (repo, line) and label_of(one.finding.name, {name: "gone"})
    }


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder with one folder for each public data set")
    parser.add_argument("--audit", action="store_true", help="audit each file instead of checking its lines")
    parser.add_argument("--list", action="store_true", help="print each refuted reference")
    options = parser.parse_args()
    folder = options.data / PLACE
    labels: dict[tuple[str, int], dict[str, str]] = {}
    for row in _rows(folder / "labels-dev.jsonl"):
        labels.setdefault((row["repo"], row["line"]), {})[row["reference"]] = row["label"]
    labelled = {repo for repo, _ in labels}
    find = missing_in if options.audit else refuted_in
    found = [one for row in _rows(folder / "instructions-dev.jsonl") for one in find(row, labels)]
    judged = [one for one in found if one.repo in labelled]
    gone = {(*place, name) for place, known in labels.items() for name, label in known.items() if label == "absent"}
    hit = found_among(gone, judged)
    more = {(row["repo"], row["line"], row["reference"]) for row in _rows(folder / "stale-more-dev.jsonl")}
    more_hit = found_among(more, found)
    right = sum(one.label == "absent" for one in judged)
    print("| measure | number |\n| --- | ---: |")
    print(f"| refuted in {len(_rows(folder / 'instructions-dev.jsonl'))} files | {len(found)} |")
    print(f"| of the labelled files: refuted | {len(judged)} |")
    print(f"| of these really gone (precision) | {right} ({right / max(1, len(judged)):.0%}) |")
    print(f"| gone in the labelled files, found | {len(hit)} of {len(gone)} |")
    print(f"| gone in other files, found | {len(more_hit)} of {len(more)} |")
    print(f"| kinds | {dict(Counter(one.finding.kind for one in found))} |")
    if options.list:
        for one in found:
            label = one.label or ("-" if one.repo in labelled else "?")
            print(label, one.repo, one.line, one.finding.kind, one.finding.name)
    for missed in sorted(gone - hit) + sorted(more - more_hit):
        print("missed", *missed)


if __name__ == "__main__":
    main()
