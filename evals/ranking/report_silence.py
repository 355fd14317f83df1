"""Prints what silence costs on LoCoMo: how many questions without an answer get none, and the recall that is lost.

    python evals/ranking/report_silence.py --data FOLDER

A memory can serve nothing if the probability of its best candidate is below a threshold. A higher threshold makes it
silent on more of the questions that nothing answers (category 5), but it also loses answers to other questions.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
from recording import KeyedQuestion, of_conversation, rounds_of

LEVELS = (0.0, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5)
TOP = 10


class Best(NamedTuple):
    """The probability of the best candidate, and the share of the answers in the top 10: None if nothing answers."""

    chance: float
    recall: float | None


def questions(asked: KeyedQuestion) -> Iterator[Best]:
    """Yield a question if its key says what answers it, or that nothing does."""
    if asked.key.expect is None:
        return
    best = asked.question.candidates[:TOP]
    odds = max((one.odds for one in best), default=0.0)
    found = [any(asked.states(one, [claim]) for one in best) for claim in asked.wanted]
    yield Best(odds / (1 + odds) if odds < math.inf else 1.0, float(np.mean(found)) if asked.key.expect else None)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder with one folder for each public data set")
    data = parser.parse_args().data
    found = [one for each in map(partial(of_conversation, questions), rounds_of("locomo", data)) for one in each]
    answered = [one for one in found if one.recall is not None]
    unanswered = [one for one in found if one.recall is None]
    print(f"{len(answered)} questions with an answer, {len(unanswered)} without")
    for level in LEVELS:
        silent = np.mean([one.chance < level for one in unanswered])
        recall = np.mean([one.recall if one.chance >= level else 0.0 for one in answered])
        what = f"{silent:6.1%} of those without an answer; recall@{TOP} of the others {recall:6.1%}"
        print(f"silent below {level:.2f}: {what}")


if __name__ == "__main__":
    main()
