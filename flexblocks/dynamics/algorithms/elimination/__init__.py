"""Elimination of unknowns one at a time: in which basis and order, and the quadratic forms that are left."""
