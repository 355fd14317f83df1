"""The checks of Lab 07, by step: Build, which the published design passes, then Fix."""

# the modules in the order of the lab: each adds its checks to CHECKS at import
from memlab.labs.checks.lab07 import stores, prompt, fix, disk, trust, lifetimes  # isort: skip
from memlab.labs.checks.lab07.helpers import CHECKS

__all__ = ["CHECKS", "disk", "fix", "lifetimes", "prompt", "stores", "trust"]
