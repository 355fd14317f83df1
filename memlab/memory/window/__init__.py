"""Shares of a whole context window, and compression of tool results."""
