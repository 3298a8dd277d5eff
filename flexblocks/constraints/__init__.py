"""Kinematic loops: postures and states in which they are closed."""
