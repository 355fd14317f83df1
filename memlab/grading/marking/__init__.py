"""Grades one submission, task by task, each in a sandbox of its own."""
