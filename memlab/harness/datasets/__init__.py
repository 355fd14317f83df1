"""Reads published data sets, plays their conversations to systems, and judges what was retrieved."""
