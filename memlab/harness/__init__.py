"""What judges: scenarios, the runner, results, metrics, statistics."""
