"""Runs untrusted code: a client, a channel, a supervisor, and the isolation levels."""
