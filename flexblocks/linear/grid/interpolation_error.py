"""Interpolation error of linear models between the points of a grid."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from flexblocks.libraries import scipy
from flexblocks.linear.grid.mode_tracking import mac
from flexblocks.linear.linear_model import LinearModel
from flexblocks.linear.mode import Mode


@dataclass(frozen=True)
class InterpolationError:
    """Relative errors of an interpolated linear model at one point.

    Attributes
    ----------
    eigenvalue : float
        The largest error of an eigenvalue, rigid-body modes excepted.
    mode : str
        The mode of that eigenvalue.
    input : float
        The largest error in the accelerations due to an input, in the norm of kinetic energy, relative to the largest
        accelerations due to it anywhere on the grid.
    output : float
        The largest error in an output, over states of equal kinetic energy and through D, relative to the largest
        gain of that output anywhere on the grid.
    """

    eigenvalue: float
    mode: str
    input: float
    output: float

    @property
    def largest(self) -> float:
        """The largest of the three."""
        return max(self.eigenvalue, self.input, self.output)

    def __str__(self) -> str:
        which = f" ({self.mode})" if self.mode else ""
        eigenvalue, moved, seen = (f"{100 * share:.2g} %" for share in (self.eigenvalue, self.input, self.output))
        return f"eigenvalues {eigenvalue}{which}, inputs {moved}, outputs {seen}"


def interpolation_errors(interpolated: Sequence[LinearModel], true: Sequence[LinearModel]) -> list[InterpolationError]:
    """Return the errors of interpolated models relative to the true ones, all in minimal form."""
    effects = [_effects(*pair) for pair in zip(interpolated, true, strict=True)]
    largest = [np.max([np.linalg.norm(effect[kind][1], axis=1) for effect in effects], axis=0) for kind in (0, 1)]
    errors = []
    for pair, effect in zip(zip(interpolated, true, strict=True), effects, strict=True):
        moved, seen = (_largest(part[0], part[1], size) for part, size in zip(effect, largest, strict=True))
        eigenvalue, mode = _of_modes(*pair)
        errors.append(InterpolationError(eigenvalue, mode, moved, seen))
    return errors


def _effects(interpolated: LinearModel, true: LinearModel) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Return the rows of B and of [C, D] in the norm of kinetic energy, each of both models."""
    d = len(true.structure.coordinates)
    root = np.linalg.cholesky(true.structure.mass)
    # Positions are scaled by the mass matrix, as rates are.
    unit = np.eye(len(true.states))
    unit[:d, :d] = unit[d : 2 * d, d : 2 * d] = np.linalg.inv(root.T)
    both = (interpolated, true)
    return [(root.T @ m.B[d : 2 * d]).T for m in both], [np.hstack([m.C @ unit, m.D]) for m in both]


def _largest(interpolated: np.ndarray, true: np.ndarray, size: np.ndarray) -> float:
    """Return the largest relative error of a row; rows that are rounding beside the others are ignored."""
    counted = size > 1e-9 * np.max(size, initial=0.0)
    off = np.linalg.norm(interpolated - true, axis=1)
    return float(np.max(off[counted] / size[counted], initial=0.0))


def _of_modes(interpolated: LinearModel, true: LinearModel) -> tuple[float, str]:
    """Return the largest relative error of an eigenvalue, with modes paired by their shapes, and that mode."""
    first, second = ([mode for mode in lin.modes() if mode.eigenvalue != 0] for lin in (interpolated, true))
    if not second:
        return 0.0, ""
    if len(first) != len(second):
        return np.inf, "another number of modes"

    def alike(a: Mode, b: Mode) -> float:
        return mac(true.structure.mass, a, a.shape, b) - abs(a.eigenvalue - b.eigenvalue) / abs(b.eigenvalue)

    rows, columns = scipy.optimize.linear_sum_assignment([[-alike(a, b) for b in second] for a in first])
    off = [
        abs(first[i].eigenvalue - second[j].eigenvalue) / abs(second[j].eigenvalue)
        for i, j in zip(rows, columns, strict=True)
    ]
    worst = int(np.argmax(off))
    return float(off[worst]), second[columns[worst]].motion
