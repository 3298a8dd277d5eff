"""Recursive algorithms of multibody dynamics."""
