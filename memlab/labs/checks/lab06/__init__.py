"""What each step of Lab 06 must keep: the checks of Build, which the published design keeps, then those of Fix."""

# the modules in the order of the lab: each writes its checks into the book while it is loaded
from memlab.labs.checks.lab06 import build, fix, recall
from memlab.labs.checks.lab06.helpers import CHECKS

__all__ = ["CHECKS", "build", "fix", "recall"]
