"""Tables: tidy, terminal, JUnit."""
