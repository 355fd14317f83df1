"""Proves the benchmark before any system is judged (`memlab check`)."""
