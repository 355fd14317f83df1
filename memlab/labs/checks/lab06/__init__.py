"""What each step of Lab 06 must keep: the laws of Build, which the published design keeps, then those of Mend."""

# the modules in the order of the lab: each writes its laws into the book while it is loaded
from memlab.labs.checks.lab06 import build, mend, recall
from memlab.labs.checks.lab06.helpers import CHECKS

__all__ = ["CHECKS", "build", "mend", "recall"]
