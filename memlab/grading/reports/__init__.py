"""Reports of grades: feedback for students, the gradebook and the overview for instructors."""
