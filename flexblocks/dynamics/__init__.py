"""Dynamics of the multibody tree: block terms, the tree they make, the recursive algorithms on it."""
