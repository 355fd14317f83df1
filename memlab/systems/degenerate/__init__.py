"""Degenerate systems: each exploits one weakness of a harness."""
