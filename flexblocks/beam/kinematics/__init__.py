"""Kinematics and energies of a beam."""
