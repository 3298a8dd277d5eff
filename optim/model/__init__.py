"""The nonlinear program of a plan as a Pyomo model."""
