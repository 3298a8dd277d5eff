"""Errors of a mesh: what the collocation of a plan leaves out, interval by interval, and how it grows."""
