"""What was handed in: found in files, folders and archives of strangers, without running any of it."""
