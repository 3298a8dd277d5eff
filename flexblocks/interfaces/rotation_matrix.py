"""Rotation matrices as values of parameters."""

from __future__ import annotations

from typing import Any

import numpy as np

from flexblocks.errors import ParameterError
from flexblocks.interfaces.parameters import ANY, Quantity

# How far a matrix may be from a rotation: the rounding of one that was written with about ten digits.
SLACK = 1e-9


def has_rows(value: Any) -> bool:
    """Whether a value is a matrix, and no vector."""
    try:
        return np.ndim(value) == 2
    except ValueError:  # rows of different lengths
        return False


def checked_rotation(where: str, name: str, value: Any, otherwise: str) -> Any:
    """Return a rotation matrix (3, 3) as tuples of floats; `otherwise` says what else it may be, for the message.

    Raises
    ------
    ParameterError
        It is none.
    """
    matrix = Quantity("1", ANY, (3, 3)).checked(where, name, value)
    R = np.array(matrix)
    if np.abs(R.T @ R - np.eye(3)).max() > SLACK or np.linalg.det(R) < 0:
        raise ParameterError(
            f"{where}: {name} = {matrix}; must be a rotation matrix (orthonormal, determinant 1) or {otherwise}."
        )
    return matrix
