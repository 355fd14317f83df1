"""Scenario files: schema, loading, variables, validation, errors."""
