"""The commands for courses: the labs and the grader."""
