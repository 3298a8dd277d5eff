"""Inertia tensor and kinetic energy of a rigid body."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import casadi as ca
import numpy as np

from flexblocks.argument_types import short
from flexblocks.errors import ParameterError
from flexblocks.interfaces import ANY, NOT_NEGATIVE, Frame, Quantity, Range, Vector
from flexblocks.interfaces.parameters import argument_name


@dataclass(frozen=True)
class Inertia(Quantity):
    """Moment of inertia about the centre of mass: the zz entry alone, three principal moments or a (3, 3) matrix."""

    symmetric: ClassVar[bool] = True

    def checked(self, where: str, name: str, value: Any) -> Any:
        if isinstance(value, ca.SX) or (not isinstance(value, (list, tuple)) and np.ndim(value) == 0):
            return super().checked(where, name, value)
        matrix = self._array(where, name, value)
        array = np.diag(matrix) if len(np.shape(matrix)) == 1 else np.array(matrix)
        if not np.allclose(array, array.T, atol=1e-12 * np.abs(array).max()):
            raise ParameterError(f"{where}: {name} = {matrix}; must be symmetric.")
        moments = np.linalg.eigvalsh(array)
        if moments[0] < -1e-12 * moments[2] or moments[0] + moments[1] < moments[2] * (1 - 1e-9):
            raise ParameterError(
                f"{where}: {name} has principal moments {', '.join(f'{m:g}' for m in moments)} kg m2; "
                "no rigid body has these: each must be >= 0 and at most the sum of the other two."
            )
        return matrix

    def _array(self, where: str, name: str, value: Any) -> Any:
        try:
            shape = np.shape(value)
        except ValueError:  # rows of different lengths
            shape = ()
        if shape not in ((3,), (3, 3)):
            raise ParameterError(
                f"{where}: {name} = {short(value)}; must be in {self.unit}, a number (about z alone), three principal "
                "moments, or a matrix (3, 3)."
            )
        return Quantity(self.unit, NOT_NEGATIVE if shape == (3,) else ANY, shape).checked(where, name, value)

    def entry_range(self, shape: tuple[int, ...]) -> Range:
        return ANY if shape == (3, 3) else NOT_NEGATIVE


def inertia_parameter(default: Any) -> Any:
    """Declare a field as a moment of inertia [kg m2]; required if the default is `dataclasses.MISSING`.

    It can stay symbolic, a matrix as one, too.
    """
    quantity = Inertia("kg m2", NOT_NEGATIVE, optional=default is None)
    return dataclasses.field(default=default, metadata={"quantity": quantity, "symbolic": True})


def inertia_matrix(inertia: Any) -> ca.SX:
    """Return the (3, 3) matrix of an inertia that may be its zz entry alone, or three principal moments."""
    given = inertia if isinstance(inertia, ca.SX) else ca.SX(ca.DM(inertia))
    if given.is_scalar():
        return ca.sparsify(ca.diag(ca.vertcat(0, 0, given)))
    return ca.sparsify(given if given.shape == (3, 3) else ca.diag(given))


def about_z_alone(block: Any) -> Mapping[str, Any]:
    """Return by argument the inertias of a block that are known about z alone, as numbers or symbols, unless 0."""
    known = {}
    for each in dataclasses.fields(block):
        value = getattr(block, each.name)
        if isinstance(each.metadata.get("quantity"), Inertia) and value is not None:
            scalar = value.is_scalar() if isinstance(value, ca.SX) else np.ndim(value) == 0
            if scalar and (isinstance(value, ca.SX) or value):
                known[argument_name(each)] = value
    return known


def kinetic_energy(frame: Frame, mass: float | ca.SX, center: Vector | Sequence[Any], inertia: ca.SX) -> ca.SX:
    """Return the kinetic energy [J] of a rigid body.

    Parameters
    ----------
    frame : Frame
        Any frame of the body.
    mass : float or SX
        [kg]
    center : (3,)
        Centre of mass in the frame [m].
    inertia : SX (3, 3)
        About the centre of mass, in the axes of the frame [kg m2].
    """
    at_center = frame.translate(center)
    translation = (mass / 2) * ca.dot(at_center.v, at_center.v)
    return translation + ca.dot(frame.omega, (inertia / 2) @ frame.omega)
