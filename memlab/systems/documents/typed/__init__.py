"""typed: memories with a kind, reflection, and a scratchpad (document 003)."""
