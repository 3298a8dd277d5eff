"""Direct collocation: the equations and costs of one interval as CasADi functions."""
