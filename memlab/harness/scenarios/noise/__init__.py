"""Noise: statements added to a scenario, so that only a memory that ranks by the question finds the answers."""
