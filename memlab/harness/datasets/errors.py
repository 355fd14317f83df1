"""The error of a data file that cannot be used."""

from __future__ import annotations


class BadDataset(Exception):
    """A data file cannot be used: the message names file, line, column, what was expected, and the next step."""
