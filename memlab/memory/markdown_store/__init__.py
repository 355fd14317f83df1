"""Facts as markdown files that a person can edit."""
