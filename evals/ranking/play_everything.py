"""Plays every scenario and some real conversations to the reference; `make reach` measures which statements that runs.

    python evals/ranking/play_everything.py --data FOLDER

One sample of each scenario, without and with labels, and three conversations of each data set in the folder.
"""

from __future__ import annotations

import argparse
from collections import deque
from dataclasses import replace
from pathlib import Path

from recording import FILES, rounds_of

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


if __name__ == "__main__":
    main()
