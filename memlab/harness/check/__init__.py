"""Checks the benchmark before any system is evaluated (`memlab check`)."""
