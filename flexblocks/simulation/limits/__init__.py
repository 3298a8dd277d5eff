"""Limits of a run: bounds on its states, and postures that have no equations of motion."""
