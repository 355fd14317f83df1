"""What each step of Lab 06 must keep: the laws of Build, which the published design keeps, then those of Mend."""

# the modules in the order of the lab: each writes its laws into the book while it is loaded
from memlab.labs.laws.lab06 import build, mend, served
from memlab.labs.laws.lab06.book import LAWS

__all__ = ["LAWS", "build", "mend", "served"]
