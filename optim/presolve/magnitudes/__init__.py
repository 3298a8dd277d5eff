"""Magnitudes: how large an arm and its task make each variable, by which the program is scaled."""
