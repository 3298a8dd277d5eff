"""From a Pyomo model to a nonlinear program in CasADi."""
