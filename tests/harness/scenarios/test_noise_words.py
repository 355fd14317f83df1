"""The noise that memlab adds is part of the measure, so a change of the reference must not change it."""

from __future__ import annotations

import subprocess
import sys

PRINT_NOISE = """
import sys
from memlab.memory.retrieval import relevance

relevance.COMMONEST -= set(sys.argv[1:])
from memlab.harness.scenarios.conditions import WITHOUT_LABELS
from memlab.harness.scenarios.loading import library, load_all
from memlab.terms import Event

for template in load_all([library()])[::40]:
    print(*(step.text for step in WITHOUT_LABELS(template.sample(0)).timeline if isinstance(step, Event)), sep="\\n")
"""


def noise(*counted: str) -> str:
    """Return the own and the added statements if the reference does not leave out these words."""
    command = [sys.executable, "-c", PRINT_NOISE, *counted]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def test_noise_does_not_depend_on_the_words_that_the_reference_leaves_out() -> None:
    assert noise() == noise("who", "when", "where", "does", "is") != ""
