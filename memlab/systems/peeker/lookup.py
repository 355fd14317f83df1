"""Every way to find the answer key of a question on this machine, as a system could that wants to cheat.

It searches the objects of its own process; the command lines, folders, open files and memory of all processes; memlab's
package and checkout; then it samples the scenarios that it found and compares them with what it observed. In a sandbox
it finds nothing.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import re
import sys
import traceback
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from dataclasses import fields
from itertools import chain, islice
from pathlib import Path
from typing import Any

from memlab.terms import Key

PACKAGE = Path(__file__).resolve().parents[2]
RUNS = ("results.jsonl", "previous.jsonl")
LONGEST_WORD = 1_000
SHORTEST = 3
"""The minimum number of parts of a path that it searches: it skips the root itself, and /usr."""
MOST_ROOTS = 3
MOST_FILES = 3_000
"""The most files of one folder that it looks at."""
LIKELIEST = 3
"""The number of scenario files that it samples: those with most of the observed words."""
CERTAIN = 0.6
"""The share of observed words in a scenario, or of a key's texts among the observed ones, at which the search ends."""
SEEDS = 12
LARGEST_REGION = 64 * 2**20
"""Bytes of the largest region of another process's memory that it reads."""


def find_key(query: str, observed: Collection[str]) -> Key | None:
    """Return the key of a question that fits best to the observed texts; no further way is tried after a sure fit."""
    best, found = -1.0, None
    for way in (_keys_in_process, _keys_in_runs, _keys_in_scenarios, _keys_in_memory):
        for key in way(query, observed):
            fit = _fit(key, observed) if key.query == query else -1.0
            if fit > best:
                best, found = fit, key
        if best > CERTAIN:
            break
    return found


def _fit(key: Key, observed: Collection[str]) -> float:
    texts = {" ".join(text.split()) for own in key.texts.values() for text in own}
    return len(texts.intersection(observed)) / max(1, len(texts))


def _keys_in_process(query: str, _: Collection[str]) -> Iterator[Key]:
    """Yield the keys among all objects of this process and the variables of its frames."""
    innermost = sys._current_frames().values()  # noqa: SLF001 - it peeks on purpose
    frames = (frame for last in innermost for frame, _ in traceback.walk_stack(last))
    objects = chain(gc.get_objects(), *(frame.f_locals.values() for frame in frames))
    yield from (one for one in objects if isinstance(one, Key) and one.query == query)


def _keys_in_runs(query: str, _: Collection[str]) -> Iterator[Key]:
    """Yield the keys in the results of this run and of earlier ones."""
    opened = (path for path in _links("fd/*", _processes()) if path.name in RUNS)
    stored = (path for folder in _folders() for path in _files(folder, RUNS))
    for path in dict.fromkeys(chain(opened, stored)):
        if path.is_file():  # a pipe would wait for a writer for ever
            with suppress(OSError), path.open("rb") as file:
                yield from _keys_in_lines(file, query)


def _keys_in_scenarios(query: str, observed: Collection[str]) -> Iterator[Key]:
    """Yield the keys of the scenarios that look like the source of a question, for each of the first seeds."""
    words, texts = _words_of(f"{query} {' '.join(observed)}"), dict[Path, str]()
    for folder in _folders():
        texts |= {path: text for path in _files(folder, (".yaml",)) if "timeline:" in (text := _text(path))}
        if any(_similarity(words, text) > CERTAIN for text in texts.values()):
            break
    likely = sorted(texts, key=lambda path: -_similarity(words, texts[path]))
    if not likely:
        return
    # by name, since systems may not import the harness: an honest system has no use for it
    load = importlib.import_module("memlab.harness.scenarios.loading").load
    answer_keys = importlib.import_module("memlab.harness.scenarios.answer_keys").answer_keys
    for path in likely[:LIKELIEST]:
        keys: list[Key] = []
        with suppress(Exception):
            template = load(path)
            keys = [key for seed in range(SEEDS) for key in answer_keys(template.sample(seed)).values()]
        matching = [key for key in keys if key.query == query]
        yield from matching
        if matching:
            return


def _similarity(words: set[str], scenario: str) -> float:
    """Return the share of the observed words that a scenario contains."""
    return len(words & _words_of(scenario)) / max(1, len(words))


def _words_of(text: str) -> set[str]:
    """Return the words of a text without numbers, which a long log shares with any other."""
    return set(re.findall(r"[^\W\d]\w*", text.lower()))


def _keys_in_memory(query: str, _: Collection[str]) -> Iterator[Key]:
    """Yield the keys in the memory of the processes above this one, as written for the results."""
    for process in _ancestors():
        with suppress(OSError), Path(process, "mem").open("rb", buffering=0) as memory:
            for region in _regions(process):
                with suppress(OSError, ValueError, OverflowError):
                    memory.seek(region.start)
                    yield from _keys_in_lines(memory.read(len(region)).split(b"\n"), query)


def _regions(process: Path) -> Iterator[range]:
    for line in Path(process, "maps").read_text(encoding="utf-8").splitlines():
        place, rights, *_ = line.split()
        start, end = (int(one, 16) for one in place.split("-"))
        if rights.startswith("rw") and end - start <= LARGEST_REGION:
            yield range(start, end)


def _keys_in_lines(lines: Iterable[bytes], query: str) -> Iterator[Key]:
    """Yield the keys of a question among the lines of a results file."""
    wanted, names = json.dumps(query).encode(), {field.name for field in fields(Key)}
    for line in lines:
        begin = line.find(b'{"key": "')
        if begin < 0 or wanted not in line:
            continue
        with suppress(ValueError, TypeError):
            found: dict[str, Any] = json.JSONDecoder().raw_decode(line[begin:].decode(errors="replace"))[0]
            yield Key(**{name: value for name, value in found.items() if name in names})


def _folders() -> Iterator[Path]:
    """Yield the folders that may hold scenarios or results: memlab's own, those in commands above us, all roots."""
    own = [PACKAGE / "data", *(PACKAGE.parent / name for name in ("scenarios", "labs", "evals", "memlab-results"))]
    words = [word for process in _ancestors() for word in _words(process)]
    named = [Path(cwd, word) for cwd in _links("cwd", _ancestors()) for word in [*words, "memlab-results", "scenarios"]]
    roots = [Path(process, "root", *one.parts[1:]) for process in _processes()[:MOST_ROOTS] for one in own]
    for path in dict.fromkeys([*own, *named, *roots]):
        if len(path.parts) >= SHORTEST and _is_folder(path):
            yield path


def _processes() -> list[Path]:
    with suppress(OSError):
        return sorted(path for path in Path("/proc").iterdir() if path.name.isdigit())
    return []


def _ancestors() -> list[Path]:
    """List the processes that started this one, the nearest first."""
    found, process = list[Path](), os.getppid()
    while process > 1 or not found:
        place = Path("/proc", str(process))
        parts = _text(place / "stat").rpartition(")")[2].split()
        found.append(place)
        process = int(parts[1]) if parts else 0
    return found


def _links(pattern: str, processes: Iterable[Path]) -> Iterator[Path]:
    for process in processes:
        with suppress(OSError):
            for link in process.glob(pattern):
                with suppress(OSError):
                    yield link.readlink()


def _words(process: Path) -> list[str]:
    """List the words of a command, and the values of its options."""
    words = [part for word in _text(process / "cmdline").split("\0") for part in (word, word.rpartition("=")[2])]
    return [word for word in words if 1 < len(word) < LONGEST_WORD]


def _files(folder: Path, endings: tuple[str, ...]) -> Iterator[Path]:
    """Yield the files of some endings below a folder."""
    with suppress(OSError):
        for path in islice(folder.rglob("*"), MOST_FILES):
            if path.name.endswith(endings) and path.is_file():
                yield path


def _is_folder(path: Path) -> bool:
    with suppress(OSError, ValueError):
        return path.is_dir()
    return False


def _text(path: Path) -> str:
    with suppress(OSError, ValueError):
        return path.read_text(encoding="utf-8", errors="replace")
    return ""
