"""Reads submissions from files, folders and archives, without running any of them."""
