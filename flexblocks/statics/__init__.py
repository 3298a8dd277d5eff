"""Statics: equilibrium, the equations and solvers behind it, and operating points."""
