"""One submission: asked task by task in rooms of its own, and marked."""
