"""What people read of grades: students their feedback, instructors the gradebook and the overview."""
