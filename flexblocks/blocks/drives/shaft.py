"""Coordinates and ports of a massless shaft, with one end or two; friction that breaks away on it."""

from __future__ import annotations

from collections.abc import Mapping

from flexblocks.errors import ParameterError
from flexblocks.interfaces import GUEST, Coordinate, flange

TWO_FLANGES = (flange("flange_a"), flange("flange_b"))


def two_ends() -> tuple[Coordinate, ...]:
    """Return the angles of the two ends of a massless shaft."""
    return (Coordinate("angle_a", "rad", rank=GUEST), Coordinate("angle_b", "rad", rank=GUEST))


def two_flanges() -> Mapping[str, tuple[str, float]]:
    """Return the end with which each flange turns."""
    return {"flange_a": ("angle_a", 1.0), "flange_b": ("angle_b", 1.0)}


def one_end() -> tuple[Coordinate, ...]:
    """Return the angle of a massless shaft with one end."""
    return (Coordinate("angle", "rad", rank=GUEST),)


def one_flange() -> Mapping[str, tuple[str, float]]:
    """Return the end with which its flange turns."""
    return {"flange_b": ("angle", 1.0)}


def refuse_weak_breakaway(where: str, breakaway: float | None, coulomb: float) -> None:
    """Refuse dry friction that breaks away below the torque at which it slides.

    Raises
    ------
    ParameterError
    """
    if breakaway is not None and breakaway < coulomb:
        raise ParameterError(f"{where}: breakaway = {breakaway:g} N m; must be >= coulomb, {coulomb:g} N m.")
