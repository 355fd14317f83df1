"""The permanent system that looks the answer up, to show that a sandbox keeps it out."""
