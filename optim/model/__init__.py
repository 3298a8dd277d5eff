"""The Pyomo model."""
