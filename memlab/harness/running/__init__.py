"""Plays scenarios to systems and writes results.jsonl."""
