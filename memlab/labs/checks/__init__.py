"""What each step of a lab must keep: one file for each lab."""
