"""Faults on any system: killed writers, a full disk, two writers, a torn file."""
