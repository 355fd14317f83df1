"""What each step of Lab 06 must keep: the laws of Build, which the published design keeps, then those of Mend."""

# the modules in the order of the lab: each writes its laws into the book while it is loaded
from memlab.labs.laws import lab06_build, lab06_mend, lab06_served
from memlab.labs.laws.lab06_book import LAWS

__all__ = ["LAWS", "lab06_build", "lab06_mend", "lab06_served"]
