"""One collocation interval as CasADi functions."""
