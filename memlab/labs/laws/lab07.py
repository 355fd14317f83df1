"""What each step of Lab 07 must keep: the laws of Build, which the published design keeps, then those of Mend."""

# the modules in the order of the lab: each writes its laws into the book while it is loaded
from memlab.labs.laws import lab07_stores, lab07_prompt, lab07_mend, lab07_believed  # isort: skip
from memlab.labs.laws.lab07_book import LAWS

__all__ = ["LAWS", "lab07_believed", "lab07_mend", "lab07_prompt", "lab07_stores"]
