"""Evaluation of each block's physics, once, on symbols of that block alone."""
