"""External grey boxes as CasADi functions."""
