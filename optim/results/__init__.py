"""Results: plans, their attempts, summaries, datasets and files."""
