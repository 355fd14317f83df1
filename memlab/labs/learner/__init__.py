"""A learner's side of a lab: their file or notebook, how far they are, and what they are told."""
