"""Presolve: everything about a plan that is computed or refused before the optimisation."""
