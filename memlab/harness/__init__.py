"""The evaluation: scenarios and their proofs, attacks, long tasks, the runner, results, metrics, statistics."""
