"""Prints which leg of a search finds evidence in real conversations: document 004, question 2.

    python evals/ranking/report_search_legs.py --data FOLDER

Each message of a conversation of LoCoMo or BEAM is a text in the two legs of hermes, by BM25 and by vector, and in
their fusions. A cell is the share of a question's evidence in the first ten, with a 95 % interval clustered by
conversation. The kinds of questions: `names and numbers` shares with its evidence one that few messages have; `other
words` shares another word that few messages have; `paraphrase` shares no such word. `--encoder wordllama` takes that
package's vectors, which know synonyms; those of hash512 know shared parts of words only.
"""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple, get_args

import numpy as np
from recording import FILES

from memlab.harness.datasets import catalogue
from memlab.harness.datasets.shape import Conversation, Question
from memlab.harness.scoring.clustered_intervals import clustered_interval
from memlab.memory.retrieval.relevance import stem_set
from memlab.systems.documents.hermes.legs import Fusion, Legs
from memlab.systems.documents.parts.encoder import WIDTH, Encode, Vector, hash512
from memlab.systems.documents.parts.same_subject import values

DATASETS = ("locomo", "beam")
TOP = 10
FEW = 0.05
"""A word is rare if at most so large a share of the messages of its conversation have it."""
KINDS = ("names and numbers", "other words", "paraphrase")
FUSIONS: tuple[Fusion, ...] = get_args(Fusion)
DIFFERENCES: Sequence[tuple[Fusion, Fusion]] = (("keyword", "vector"), ("rrf", "keyword"), ("rrf", "minmax"))
_WIDTH = 17


class Answered(NamedTuple):
    """One question: its data set and kind, its conversation, and the share of its evidence that each search finds."""

    dataset: str
    kind: str
    cluster: str
    found: Mapping[Fusion, float]


def kind_of(question: Question, texts: Mapping[str, str], rare: frozenset[str]) -> str:
    """Return the kind of a question by what it shares with the text that answers it."""
    evidence = " ".join(texts[one.id] for one in question.evidence)
    shared = stem_set(question.query) & stem_set(evidence) & rare
    named = {stem for value in values(question.query) & values(evidence) for stem in stem_set(value)}
    if shared & named:
        return KINDS[0]
    return KINDS[1] if shared else KINDS[2]


def answered(dataset: str, conversation: Conversation, encode: Encode = hash512) -> Iterator[Answered]:
    """Ask each search every question that has evidence."""
    texts = {event.id: event.text for event in conversation.events}
    rare = _rare_stems(list(texts.values()))
    legs = {fusion: Legs(fusion, encode) for fusion in FUSIONS}
    for one in legs.values():
        for key, text in texts.items():
            one.put(key, text)
    for question in conversation.questions:
        evidence = {one.id for one in question.evidence}
        if evidence and evidence <= texts.keys():
            found = {fusion: {key for key, _ in one.search(question.query, TOP)} for fusion, one in legs.items()}
            shares = {fusion: len(evidence & keys) / len(evidence) for fusion, keys in found.items()}
            yield Answered(dataset, kind_of(question, texts, rare), conversation.id, shares)


def _rare_stems(texts: Sequence[str]) -> frozenset[str]:
    counts: dict[str, int] = {}
    for text in texts:
        for stem in stem_set(text):
            counts[stem] = counts.get(stem, 0) + 1
    return frozenset(stem for stem, count in counts.items() if count <= max(1, FEW * len(texts)))


def table(rows: Sequence[Answered]) -> Iterator[str]:
    """Yield the lines of the report."""
    names = [f"{one} - {other}" for one, other in DIFFERENCES]
    yield f"{f'evidence in the first {TOP}, %':32}{'n':>6}" + "".join(f"{one:>{_WIDTH}}" for one in (*FUSIONS, *names))
    for dataset in dict.fromkeys(one.dataset for one in rows):
        for kind in ("all", *KINDS):
            chosen = [one for one in rows if one.dataset == dataset and kind in {"all", one.kind}]
            cells = [_interval(chosen, {fusion: 1.0}) for fusion in FUSIONS]
            cells += [_interval(chosen, {one: 1.0, other: -1.0}) for one, other in DIFFERENCES]
            yield f"{f'{dataset}, {kind}':32}{len(chosen):>6}" + "".join(f"{one:>{_WIDTH}}" for one in cells)


def _interval(rows: Sequence[Answered], weights: Mapping[Fusion, float]) -> str:
    """Return the mean of a share, or of a difference of two, in percent with its interval."""
    least = -1.0 if len(weights) > 1 else 0.0
    span = 1.0 - least
    sums = [sum(weight * row.found[fusion] for fusion, weight in weights.items()) for row in rows]
    found = clustered_interval([(one - least) / span for one in sums], [row.cluster for row in rows])
    mean, low, high = (100 * (one * span + least) for one in (found.mean, found.low, found.high))
    return f"{mean:4.0f} [{low:.0f}, {high:.0f}]"


def wordllama() -> Encode:
    """Return the encoder of the package wordllama. Exits if it is not installed."""
    try:
        package = importlib.import_module("wordllama")
    except ModuleNotFoundError:
        sys.exit("--encoder wordllama: the package is not installed; run: pip install wordllama")
    folder = Path(str(package.__file__)).parent  # it has the weights and the tokenizer, but looks elsewhere for them
    model = package.WordLlama.load(cache_dir=folder, disable_download=True)

    @lru_cache(maxsize=65536)
    def encode(text: str) -> Vector:
        vector = np.zeros(WIDTH, np.float32)
        found = np.asarray(model.embed(text))[0]
        vector[: len(found)] = found
        return vector

    return encode


def conversations(data: Path) -> Iterator[tuple[str, Conversation]]:
    """Read the development data. Exits if a file is missing."""
    for name in DATASETS:
        for file in FILES[name]:
            if not (data / file).is_file():
                sys.exit(
                    f"{data / file}: there is no such file. docs/datasets.md says where to get the data of {name}."
                )
            for one in catalogue.load(name, data / file, None):
                yield name, one


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder with one folder for each public data set")
    parser.add_argument("--encoder", choices=("hash512", "wordllama"), default="hash512")
    given = parser.parse_args()
    encode = wordllama() if given.encoder == "wordllama" else hash512
    print(f"encoder {given.encoder}")
    rows = [row for name, one in conversations(given.data) for row in answered(name, one, encode)]
    print("\n".join(table(rows)))


if __name__ == "__main__":
    main()
