"""Plays every scenario and some real data to the reference; `make reach` measures which statements that runs.

    PYTHONPATH=evals/heuristics python evals/ranking/play_everything.py --data FOLDER

One sample of each scenario, without and with labels; of the data sets in the folder three conversations each, and every
instruction file, checked against the tree of its repository.
"""

from __future__ import annotations

import argparse
import json
from collections import deque
from dataclasses import replace
from pathlib import Path

from recording import FILES, rounds_of
from report_references import PLACE, refuted_in

from memlab.harness.running.runner import play
from memlab.harness.scenarios.conditions import Conditions
from memlab.harness.scenarios.loading import library, load_all
from memlab.systems.registry import entry

REFERENCE = "hybrid"
CONVERSATIONS = 3


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder with one folder for each public data set")
    data = parser.parse_args().data
    for template in load_all([library()]):
        for labels in ("none", "subjects"):
            deque(play(Conditions(labels)(template.sample(0)), [entry(REFERENCE)]), maxlen=0)
    for name in FILES:
        for conversation in rounds_of(name, data)[:CONVERSATIONS]:
            deque(replace(conversation, systems=(REFERENCE,)).play(), maxlen=0)
    for file in (data / PLACE).glob("instructions*.jsonl"):
        for line in file.read_text(encoding="utf-8").splitlines():
            refuted_in(json.loads(line), {})


if __name__ == "__main__":
    main()
