"""Coordinates and ports of a massless shaft with two ends."""

from __future__ import annotations

from collections.abc import Mapping

from flexblocks.interfaces import GUEST, Coordinate, flange

TWO_FLANGES = (flange("flange_a"), flange("flange_b"))


def two_ends() -> tuple[Coordinate, ...]:
    """Return the angles of the two ends of a massless shaft."""
    return (Coordinate("angle_a", "rad", rank=GUEST), Coordinate("angle_b", "rad", rank=GUEST))


def two_flanges() -> Mapping[str, tuple[str, float]]:
    """Return the end with which each flange turns."""
    return {"flange_a": ("angle_a", 1.0), "flange_b": ("angle_b", 1.0)}
