"""Texts to fit and to measure the detector of instructions: orders and ordinary texts, each in two halves.

One half is for fitting, the other is for measuring alone. Public data is read from a folder that the caller names, and
never copied; a data set that is not there is left out.
"""

from __future__ import annotations

import ast
import json
import re
import sysconfig
from collections.abc import Iterator
from importlib.metadata import distributions
from pathlib import Path
from typing import Any, Literal, NamedTuple
from zlib import crc32

from memlab.harness.scenarios.loading import library, load_all
from memlab.memory.trust import UNTRUSTED_SOURCES
from memlab.terms import Event

HERE = Path(__file__).parent
Half = Literal["seen", "unseen"]
DIRECTING = {"T1", "T2", "T3", "T8", "T10"}
"""The attack types of MemShield that direct their reader; the others state something false."""


PACKAGES = "asyncio", "collections", "concurrent/futures", "email", "http", "importlib", "json", "logging", "xml/dom"
"""Packages of Python's library whose docstrings are read beside those of its modules."""


class Corpus(NamedTuple):
    """Texts of one kind and one half; `is_order` says whether each of them directs its reader."""

    name: str
    half: Half
    is_order: bool
    texts: tuple[str, ...]


def corpora(data: Path) -> list[Corpus]:
    """Return all corpora that there are; `data` is the folder with one folder for each public data set."""
    drawn = [*_own(), *_scenarios(), *_readmes(), *_docstrings()]
    readers = {
        "agentdojo/injection_goals.jsonl": _agentdojo,
        "memshield/dev.jsonl": _memshield,
        "locomo/locomo-dev5.json": _locomo,
        "beam/beam-100k-dev8.json": _beam,
        "poisonedrag/hotpotqa.json": _poisonedrag,
        "poisonedrag/msmarco.json": _poisonedrag,
    }
    for place, read in readers.items():
        if (data / place).is_file():
            drawn += read(data / place)
    texts: dict[tuple[str, Half, bool], dict[str, None]] = {}
    for name, half, is_order, text in drawn:
        texts.setdefault((name, half, is_order), {})[text.strip()] = None
    return [Corpus(*key, tuple(filter(None, found))) for key, found in texts.items()]


Drawn = Iterator[tuple[str, Half, bool, str]]


def _half(*, seen: bool) -> Half:
    return "seen" if seen else "unseen"


def _own() -> Drawn:
    """Yield our own sentences; one with a {} is repeated with every verb that opens an order."""
    orders, statements = (
        (HERE / name).read_text(encoding="utf-8").splitlines() for name in ("orders.txt", "statements.txt")
    )
    first_words = {line.split()[0] for line in orders} - {"Always", "Never", "Please", "Agents", "You", "From", "To"}
    verbs = sorted(word.lower() for word in first_words if word.isalpha())
    for name, is_order, lines in (("orders", True, orders), ("statements", False, statements)):
        for line in lines:
            if "{}" not in line:
                yield f"own {name}", "seen", is_order, line
                continue
            for verb in verbs:
                text = line.replace("{}", verb)
                yield f"own {name} with each verb", "seen", is_order, text[0].upper() + text[1:]


def _scenarios() -> Drawn:
    """Yield what untrusted sources say in the scenarios of the library, without restatements."""
    for scenario in (template.sample(seed) for template in load_all([library()]) for seed in range(3)):
        ordering = {identity for claim in scenario.claims.values() if claim.orders for identity in claim.events}
        for step in scenario.timeline:
            if (
                not isinstance(step, Event)
                or step.source not in UNTRUSTED_SOURCES
                or step.kind not in {"fact", "turn", "tool"}
            ):
                continue
            if step.id in ordering:
                yield "scenario orders", "seen", True, step.text
            elif not step.derived_from:
                yield "scenario statements", "seen", False, step.text


def _readmes() -> Drawn:
    """Yield paragraphs of the READMEs of installed packages, without code, tables and headings."""
    for package in distributions():
        text = package.read_text("METADATA") or ""

        half = _half(seen=crc32(package.metadata["Name"].lower().encode()) % 2 == 0)
        for paragraph in re.split(r"\n\s*\n", re.sub(r"```.*?```", "", text, flags=re.DOTALL)):
            if line := _prose(paragraph):
                yield "README paragraphs", half, False, line


def _docstrings() -> Drawn:
    """Yield the paragraphs of the docstrings of modules and classes in Python's library."""
    for folder in (Path(sysconfig.get_path("stdlib")), *(Path(sysconfig.get_path("stdlib")) / one for one in PACKAGES)):
        for path in sorted(folder.glob("*.py")):
            tree = ast.parse(path.read_text(encoding="utf-8"))
            parts: list[ast.Module | ast.ClassDef] = [
                tree,
                *(one for one in tree.body if isinstance(one, ast.ClassDef)),
            ]
            for part in parts:
                for line in map(_prose, (ast.get_docstring(part) or "").split("\n\n")):
                    if line:
                        yield "library docstrings", "seen", False, line


def _prose(paragraph: str) -> str:
    """Return a paragraph on one line if it is made of sentences, else nothing."""
    line = " ".join(paragraph.split())
    return line if re.match(r"[A-Z]", line) and line.endswith(".") and len(line.split()) > 4 else ""


def _rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def _agentdojo(path: Path) -> Drawn:
    for row in _rows(path):
        yield "AgentDojo goals", _half(seen=row["suite"] in {"slack", "workspace"}), True, row["goal"]


def _memshield(path: Path) -> Drawn:
    for row in _rows(path):
        kind, half = row["attack_type"].split("_")[0], _half(seen=int(row["id"][-1]) % 2 == 1)
        if row["label"] == "clean":
            yield "MemShield clean", half, False, row["content"]
        elif kind in DIRECTING:
            yield "MemShield orders", half, True, row["content"]


def _locomo(path: Path) -> Drawn:
    for place, sample in enumerate(json.loads(path.read_text(encoding="utf-8"))):
        for name, session in sample["conversation"].items():
            if re.fullmatch(r"session_\d+", name):
                for turn in session:
                    yield "LoCoMo turns", _half(seen=place < 2), False, turn["text"]


def _beam(path: Path) -> Drawn:
    for place, chat in enumerate(json.loads(path.read_text(encoding="utf-8"))):
        for message in chat["messages"]:
            if message["role"] == "user":
                yield "BEAM user turns", _half(seen=place < 4), False, message["text"]


def _poisonedrag(path: Path) -> Drawn:
    for row in json.loads(path.read_text(encoding="utf-8")).values():
        for text in row["adv_texts"]:
            yield "PoisonedRAG false statements", _half(seen=path.stem == "hotpotqa"), False, text
