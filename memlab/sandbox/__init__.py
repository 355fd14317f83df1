"""Runs somebody else's code: one client, one channel, one supervisor, isolation levels."""
