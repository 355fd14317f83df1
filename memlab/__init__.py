"""memlab: show, teach and grade what each part of an agent's memory buys."""

__version__ = "0.1.0"
