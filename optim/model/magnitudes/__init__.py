"""Magnitudes of Vars and rows: declared to the solver, and what violations are compared with."""
