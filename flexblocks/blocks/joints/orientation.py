"""Rotation vectors and rotation matrices as parameters of blocks."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

import casadi as ca
import numpy as np

from flexblocks.errors import ParameterError
from flexblocks.interfaces import ANY, Quantity, skew
from flexblocks.interfaces.rotation_matrix import checked_rotation, has_rows
from flexblocks.libraries import scipy

# Sines and cosines of right angles miss 0 and 1 by up to this much; left in, that would spoil structural zeros.
ROUNDING = 1e-15
# Square of an angle [rad2] below which sines and cosines are those of series.
SMALL = 1e-4


@dataclass(frozen=True)
class Orientation(Quantity):
    """A rotation vector (3,) [rad], or a rotation matrix (3, 3)."""

    def checked(self, where: str, name: str, value: Any) -> Any:
        if isinstance(value, ca.SX):
            raise ParameterError(f"{where}: {name} = {value}; must be numbers: an orientation cannot stay symbolic.")
        if not has_rows(value):
            return super().checked(where, name, value)
        return checked_rotation(where, name, value, "a rotation vector of 3 numbers, axis times angle in rad")


def orientation_parameter(default: Any, symbolic: bool = False) -> Any:
    """Declare a field of a block as a constant orientation, whose rotation vector can stay symbolic."""
    quantity = Orientation("rad", ANY, (3,))
    return dataclasses.field(default=default, metadata={"quantity": quantity, "symbolic": symbolic})


def rotation_matrix(orientation: Any) -> np.ndarray | ca.SX:
    """Return the matrix (3, 3) of an orientation; entries of numbers within rounding of 0 or 1 are set to these."""
    if isinstance(orientation, ca.SX):
        return _of_symbols(orientation)
    values = np.array(orientation, dtype=float)
    turn = (
        scipy.spatial.transform.Rotation.from_rotvec(values)
        if values.ndim == 1
        else scipy.spatial.transform.Rotation.from_matrix(values)
    )
    R = turn.as_matrix()
    nearest = np.round(R)
    return np.where(np.abs(R - nearest) < ROUNDING, nearest, R)


def _of_symbols(vector: ca.SX) -> ca.SX:
    """Return the matrix (3, 3) of a rotation vector (3, 1), smooth also without rotation (Rodrigues' formula)."""
    square = ca.sumsqr(vector)
    small = square < SMALL
    angle = ca.sqrt(ca.if_else(small, 1.0, square))
    # Series of sin(a)/a and (1 - cos(a))/a^2 to the fourth order, whose next terms are below rounding.
    first = ca.if_else(small, 1 - square / 6 * (1 - square / 20), ca.sin(angle) / angle)
    second = ca.if_else(small, 0.5 - square / 24 * (1 - square / 30), (1 - ca.cos(angle)) / angle**2)
    turn = skew(vector)
    return ca.SX.eye(3) + first * turn + second * turn @ turn
