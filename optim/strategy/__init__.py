"""Ways to an optimum."""
