"""The two teaching labs: text, checks, and what a learner calls in a notebook or an editor."""
