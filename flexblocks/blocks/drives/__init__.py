"""Drives: what turns or pushes a joint, from the motor to its axis."""
