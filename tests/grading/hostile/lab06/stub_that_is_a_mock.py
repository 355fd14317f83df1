"""Answers to every name there is, with an object that answers to every name there is.

Attack: constant stub
Behind: nothing
Tasks: all
Keeps: at most 5 %
"""

from unittest.mock import MagicMock


def __getattr__(name):
    return MagicMock(name=name)
