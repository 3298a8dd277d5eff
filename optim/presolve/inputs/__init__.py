"""Inputs of a plan: those that it moves, those that are known beforehand, and references by all their names."""
