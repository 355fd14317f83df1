"""The checks of Lab 06, by step: Build, which the published design passes, then Fix."""

# the modules in the order of the lab: each adds its checks to CHECKS at import
from memlab.labs.checks.lab06 import build, fix, recall
from memlab.labs.checks.lab06.helpers import CHECKS

__all__ = ["CHECKS", "build", "fix", "recall"]
