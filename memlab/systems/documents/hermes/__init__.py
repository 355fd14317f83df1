"""hermes: working, episodic and semantic memory in one window (document 004), and its ablations."""
