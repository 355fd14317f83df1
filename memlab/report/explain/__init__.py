"""Explains one cell of a run."""
