"""What each step of Lab 07 must keep: the checks of Build, which the published design keeps, then those of Fix."""

# the modules in the order of the lab: each writes its checks into the book while it is loaded
from memlab.labs.checks.lab07 import stores, prompt, fix, disk, trust, lifetimes  # isort: skip
from memlab.labs.checks.lab07.helpers import CHECKS

__all__ = ["CHECKS", "disk", "fix", "lifetimes", "prompt", "stores", "trust"]
