"""Robustness: stability margins, spillover, Monte Carlo analysis, Floquet multipliers."""
