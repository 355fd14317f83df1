"""The command line: parses and prints, nothing else. Importing a command's file makes the command known."""

from memlab.cli import audit, compare, costs, curves, datasets, doctor, explain, grade, lab, library, turns
from memlab.cli.app import app

__all__ = [
    "app",
    "audit",
    "compare",
    "costs",
    "curves",
    "datasets",
    "doctor",
    "explain",
    "grade",
    "lab",
    "library",
    "turns",
]
