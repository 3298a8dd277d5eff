"""Quadratic cost of a regulator: the weighting matrices Q and R, from weights by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from flexblocks.control.design.gains import gains
from flexblocks.errors import NameUnknownError, ParameterError, suggestion
from flexblocks.linear.linear_model import LinearModel

ENERGIES = ("elastic_energy", "kinetic_energy")


def state_weight(lin: LinearModel, Q: Any, where: str) -> np.ndarray:
    """Return the state weighting matrix Q (nx, nx) of the cost x' Q x.

    Parameters
    ----------
    lin : LinearModel
        With all outputs that `Q` may name.
    Q : dict or array (nx, nx)
        By name: weight of the square of a state or output, or of ``"elastic_energy"`` or ``"kinetic_energy"`` itself.
    where : str
        For messages.

    Raises
    ------
    NameUnknownError, ParameterError
    """
    nx = len(lin.states)
    if not isinstance(Q, Mapping):
        matrix = _matrix(Q, nx, f"{where}: Q")
        _refuse_indefinite(matrix, f"{where}: Q")
        return matrix
    matrix = np.zeros((nx, nx))
    known = (*lin.states, *lin.outputs, *ENERGIES)
    for name, value in Q.items():
        if name not in known:
            raise NameUnknownError(f"{where}: Q: there is no state or output '{name}'{suggestion(name, known)}")
        (weight,) = gains(value, [name], f"{where}: Q[{name}]")
        matrix += weight * _square(lin, name, where)
    return matrix


def input_weight(R: Any, names: Sequence[str], where: str) -> np.ndarray:
    """Return the input weighting matrix R (nu, nu) of the cost u' R u, positive definite.

    `R` is a number, a dict by name or a matrix.

    Raises
    ------
    NameUnknownError, ParameterError
    """
    if isinstance(R, Mapping) or np.ndim(R) < 2:
        return np.diag(gains(R, names, f"{where}: R", positive=True))
    matrix = _matrix(R, len(names), f"{where}: R")
    if np.linalg.eigvalsh(matrix)[0] <= 0:
        raise ParameterError(f"{where}: R is not positive definite; must be, so that every input has a cost.")
    return matrix


def _square(lin: LinearModel, name: str, where: str) -> np.ndarray:
    """Return the matrix W for which x' W x is the square of a variable, or an energy."""
    nx, n = len(lin.states), len(lin.structure.coordinates)
    matrix = np.zeros((nx, nx))
    if name in ENERGIES and lin.states[:n] != lin.structure.coordinates:
        raise ParameterError(
            f"{where}: Q: '{name}' needs all coordinates as states, and some depend on others; weight "
            "states by name instead."
        )
    if name == "elastic_energy":
        matrix[:n, :n] = sum(lin.structure.stored.values(), np.zeros((n, n))) / 2
        return matrix
    if name == "kinetic_energy":
        matrix[n : 2 * n, n : 2 * n] = lin.structure.mass / 2
        return matrix
    row = np.eye(nx)[lin.states.index(name)] if name in lin.states else lin.C[lin.outputs.index(name)]
    return np.outer(row, row)


def _matrix(values: Any, size: int, where: str) -> np.ndarray:
    try:
        matrix = np.array(values, dtype=float)
    except (TypeError, ValueError):
        matrix = np.zeros(0)
    if matrix.shape != (size, size) or not np.all(np.isfinite(matrix)):
        raise ParameterError(f"{where} = {values!r}; must be a dict of weights by name, or a matrix ({size}, {size}).")
    # Rounding of a product such as C'C leaves less asymmetry than this; a mistyped entry leaves more.
    if not np.allclose(matrix, matrix.T, rtol=1e-9, atol=1e-12 * max(np.max(np.abs(matrix), initial=0.0), 1e-300)):
        raise ParameterError(f"{where} is not symmetric; must be. Give (M + M.T) / 2.")
    return (matrix + matrix.T) / 2


def _refuse_indefinite(matrix: np.ndarray, where: str) -> None:
    values = np.linalg.eigvalsh(matrix) if matrix.size else np.zeros(1)
    # Rounding leaves eigenvalues of a semidefinite matrix this far below 0, as a share of the largest.
    if values[0] < -1e-9 * max(values[-1], 0.0):
        raise ParameterError(f"{where} has the eigenvalue {values[0]:.3g}; must be positive semidefinite.")
