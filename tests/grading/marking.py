"""The real grader, asked about a text, at the best level that works here."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256

from memlab.grading.grade import Grade
from memlab.grading.grader import Setting, grade
from memlab.grading.isolation import LEVELS
from memlab.grading.submissions import Submission
from memlab.labs.lab import Lab

SEED = 7
LEVEL = next(level for level in LEVELS if not level.lacking())


def graded(lab: Lab, source: str, only: Sequence[str] = ()) -> Grade:
    """Grade a learner's file for all tasks, or for some."""
    digest = sha256(source.encode()).hexdigest()
    return grade(Submission(lab.file, source, problem="", digest=digest), Setting(lab, SEED, LEVEL, only=tuple(only)))
