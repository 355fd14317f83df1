"""Grades what students hand in: their code is hostile until proven otherwise, and each lost point has a reason."""
