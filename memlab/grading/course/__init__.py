"""Grades a class in parallel, saves the grades in a log, and compares them with the last gradebook."""
