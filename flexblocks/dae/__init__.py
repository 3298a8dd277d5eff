"""Differential-algebraic equations of an arm: expressions, functions, compilation, changes of coordinates."""
