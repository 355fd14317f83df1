"""The command line: parses and prints, nothing else."""

from memlab.cli.app import app

__all__ = ["app"]
