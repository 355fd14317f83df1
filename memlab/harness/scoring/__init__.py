"""Scores results: needles, metrics, intervals, thresholds."""
