"""What each step of a lab must keep: one folder for each lab."""
