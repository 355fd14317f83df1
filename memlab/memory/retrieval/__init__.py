"""From a question to ranked memories."""
