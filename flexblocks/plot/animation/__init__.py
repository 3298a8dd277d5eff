"""Animations of arms in space: what is drawn, its motion, and the files that show it."""
