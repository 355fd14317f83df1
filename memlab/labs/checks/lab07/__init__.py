"""What each step of Lab 07 must keep: the laws of Build, which the published design keeps, then those of Mend."""

# the modules in the order of the lab: each writes its laws into the book while it is loaded
from memlab.labs.checks.lab07 import stores, prompt, mend, disk, trust, lifetimes  # isort: skip
from memlab.labs.checks.lab07.helpers import CHECKS

__all__ = ["CHECKS", "disk", "lifetimes", "mend", "prompt", "stores", "trust"]
