"""Multibody dynamics: the terms of each block, the tree they form, and the recursive algorithms on that tree."""
