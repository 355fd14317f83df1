"""memlab: show, teach and grade the effect of each part of an agent's memory."""

__version__ = "0.1.0"
