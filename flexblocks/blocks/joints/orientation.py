"""Rotation vectors and rotation matrices as parameters of blocks."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

import casadi as ca
import numpy as np

from flexblocks.errors import ParameterError
from flexblocks.interfaces import ANY, Quantity
from flexblocks.interfaces.rotation_matrix import checked_rotation, has_rows
from flexblocks.libraries import scipy

# Sines and cosines of right angles miss 0 and 1 by up to this much; left in, that would spoil structural zeros.
ROUNDING = 1e-15


@dataclass(frozen=True)
class Orientation(Quantity):
    """A rotation vector (3,) [rad], or a rotation matrix (3, 3)."""

    def checked(self, where: str, name: str, value: Any) -> Any:
        if isinstance(value, ca.SX):
            raise ParameterError(f"{where}: {name} = {value}; must be numbers: an orientation cannot stay symbolic.")
        if not has_rows(value):
            return super().checked(where, name, value)
        return checked_rotation(where, name, value, "a rotation vector of 3 numbers, axis times angle in rad")


def orientation_parameter(default: Any) -> Any:
    """Declare a field of a block as a constant orientation."""
    return dataclasses.field(default=default, metadata={"quantity": Orientation("rad", ANY, (3,))})


def rotation_matrix(orientation: Any) -> np.ndarray:
    """Return the matrix (3, 3) of an orientation; entries within rounding of 0 or 1 are set to these."""
    values = np.array(orientation, dtype=float)
    turn = (
        scipy.spatial.transform.Rotation.from_rotvec(values)
        if values.ndim == 1
        else scipy.spatial.transform.Rotation.from_matrix(values)
    )
    R = turn.as_matrix()
    nearest = np.round(R)
    return np.where(np.abs(R - nearest) < ROUNDING, nearest, R)
