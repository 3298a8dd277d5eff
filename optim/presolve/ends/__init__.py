"""Ends: the boundary conditions between which an arm moves, made once for start, goals and places passed."""
