"""The data sets that memlab can read. memlab contains none of them: users give the path of their own copy."""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path

from memlab.harness.datasets import beam, factconsolidation, locomo, longmemeval, memshield, poisonedrag
from memlab.harness.datasets.errors import BadDataset
from memlab.harness.datasets.reading import DataFile
from memlab.harness.datasets.shape import Conversation
from memlab.harness.scenarios.errors import suggest

UNKNOWN = "not known"
SEPARATOR = "/"
"""In the family of a key, between the data set and the kind of the question."""


@dataclass(frozen=True)
class Dataset:
    """One data set. `load` reads its file; `takes_ids` says whether it can leave out questions by their ids.

    `sha256` is that of the published file where its authors state it.
    """

    name: str
    licence: str
    size: str
    origin: str
    measures: str
    load: Callable[[Path], list[Conversation]]
    takes_ids: bool = False
    sha256: str = UNKNOWN


DATASETS = {
    one.name: one
    for one in (
        Dataset(
            "locomo",
            "CC BY-NC 4.0",
            "10 conversations, 1,986 questions",
            "github.com/snap-research/locomo, data/locomo10.json",
            "finds the turns of a long conversation that answer a question",
            locomo.load,
            takes_ids=True,
        ),
        Dataset(
            "beam",
            "none stated in its repository",
            "100 chats of 100K to 10M tokens, 2,000 questions",
            "github.com/mohammadtavakoli78/BEAM, chats/",
            "finds the messages of a very long chat; newer values before older ones",
            beam.load,
        ),
        Dataset(
            "longmemeval",
            "MIT",
            "500 questions, each with a history of its own",
            "github.com/xiaowu0162/LongMemEval",
            "finds the turns of many sessions; newer values before older ones",
            longmemeval.load,
        ),
        Dataset(
            "factconsolidation",
            "MIT",
            "8 lists of facts of 6k to 262k tokens, 100 questions each; half of them single-hop",
            "huggingface.co/datasets/ai-hyz/MemoryAgentBench, split Conflict_Resolution",
            "serves the newest of several versions of a fact, and before the older ones",
            factconsolidation.load,
        ),
        Dataset(
            "poisonedrag",
            "MIT",
            "3 files of 100 questions, each with 5 planted texts",
            "github.com/sleeepeer/PoisonedRAG, results/adv_targeted_results/",
            "serves the user's answer, and not what the web planted",
            poisonedrag.load,
        ),
        Dataset(
            "memshield",
            "CC BY-SA 4.0",
            "1,178 memory entries, 322 of them poisoned",
            "huggingface.co/datasets/npow/memshield-bench, data/*.jsonl",
            "serves clean entries, and not poisoned ones",
            memshield.load,
        ),
    )
}


def dataset(name: str) -> Dataset:
    """Return the data set of a name. Raises BadDataset with the valid names."""
    if name not in DATASETS:
        raise BadDataset(f"no data set is called {name!r}.{suggest(name, DATASETS)} `memlab datasets` describes them.")
    return DATASETS[name]


def load(name: str, path: Path, ids: Path | None = None) -> list[Conversation]:
    """Read a data set, without the questions whose ids are in the file `ids`. Raises BadDataset, OSError."""
    chosen = dataset(name)
    read = chosen.load
    if ids:
        if not chosen.takes_ids:
            able = ", ".join(one.name for one in DATASETS.values() if one.takes_ids)
            raise BadDataset(f"questions cannot be left out of {name}, only of {able}. Omit --leave-out.")
        read = functools.partial(locomo.load, left_out=_read_ids(ids))
    try:
        found = read(path)
    except BadDataset as error:
        raise BadDataset(f"{error} {_next_step(chosen, path)}") from None
    if not any(one.questions for one in found):
        raise BadDataset(f"{path}: no question can be judged. Expected: a file of {chosen.origin}.")
    return found


def _read_ids(path: Path) -> Collection[str]:
    text = DataFile.read(path, "ids of questions, one in each line, such as conv-26/12").text
    return {line.strip() for line in text.splitlines() if line.strip() and not line.startswith("#")}


def _next_step(wrong: Dataset, path: Path) -> str:
    """Return what to do about a file that is not of a data set: name the one that can read it, or where to get it."""
    for other in DATASETS.values():
        try:
            is_other = other is not wrong and any(one.questions for one in other.load(path))
        except (BadDataset, OSError):
            continue
        if is_other:
            return f"It is a file of {other.name}: use --dataset {other.name}."
    return f"Get it from {wrong.origin}."


def dataset_of(family: str) -> str:
    """Return the name of the data set in the family of a key; empty if it is a family of scenarios."""
    name, separator, _ = family.partition(SEPARATOR)
    return name if separator and name in DATASETS else ""
