"""Margins, spillover, Monte Carlo."""
