"""Anyone's own memory, judged in a process of its own: the parent asks, a lean server forks, the child answers."""
