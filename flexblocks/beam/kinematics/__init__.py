"""Kinematics and energies of a beam.

Read `beam` and `deflection` (the interface) first, then `modal_deflection`; the rest serves these.
"""
