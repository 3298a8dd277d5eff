"""Sensors between an arm and its laws: what a law sees of what it measures."""
