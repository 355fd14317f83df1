"""SQLite indexes: full text, episodes, facts."""
