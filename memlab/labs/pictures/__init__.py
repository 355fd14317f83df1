"""What a lab draws: the stores, a prompt, and how a memory fares in the lab's scenarios."""
