"""Checks of the states that a run passes: bounds, charts of attitudes, singular postures."""
