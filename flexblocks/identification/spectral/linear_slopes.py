"""Linear equations of an arm at rest with their exact derivatives in parameters.

E der(X) = A X + B u, y = C X + D u over all variables X = [x, z, lambda] (`flexblocks.linear.descriptor`): nothing is
eliminated, so that derivatives are sums, and arms with algebraic variables or loops are as any other. For poles s with
right and left eigenvectors r, l, and for frequency responses H = C X + D, (s E - A) X = B, Y (s E - A) = C,

    ds = l* (dA - s dE) r / (l* E r),   dH = dC X + Y (dA - s dE) X + Y dB + dD.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import casadi as ca
import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.errors import ComputationError
from flexblocks.identification.spectral.configuration import Configuration
from flexblocks.linear.derivatives import derivatives, derivatives_function
from flexblocks.linear.linear_model import LinearModel
from flexblocks.linear.linearize import linear_model
from flexblocks.statics.balance import unknown_slices


@dataclass(frozen=True, eq=False)
class Descriptor:
    """Matrices over variables X (N,), inputs u (m,) and outputs y (l,); or their derivatives, with k of each first."""

    E: np.ndarray
    A: np.ndarray
    B: np.ndarray
    C: np.ndarray
    D: np.ndarray


class LinearSlopes:
    """Linear equations of an arm in a configuration, as a function of its parameters.

    Parameters
    ----------
    configuration : Configuration
    columns : list of int
        Positions of the parameters in which derivatives are taken.
    inputs, outputs : tuple of str
        Outputs may be states and algebraic variables, too.
    """

    def __init__(
        self, configuration: Configuration, columns: list[int], inputs: tuple[str, ...], outputs: tuple[str, ...]
    ) -> None:
        self.configuration, self.columns = configuration, columns
        self.dae = configuration.dae
        known = (*self.dae.y.names, *self.dae.x.names, *self.dae.z.names)
        self._rows = [known.index(name) for name in outputs]
        self._inputs = [self.dae.u.index(name) for name in inputs]

    def linear(self, p: np.ndarray) -> LinearModel:
        """Return the minimal linear model, without outputs, at parameters `p`."""
        point = self.configuration.point(p)
        (slopes,) = derivatives(self.dae, [point])
        return linear_model(self.dae, point, slopes, (), "minimal")

    def at(self, p: np.ndarray) -> tuple[Descriptor, Descriptor]:
        """Return the equations at parameters `p`, and their derivatives in those of `columns`."""
        point = self.configuration.point(p)
        function, k = _all_slopes(self.dae), len(self.columns)
        arguments = (point.x, point.z, point.u, p, np.zeros(self.dae.tree.size), point.forces)
        values = function(*arguments)
        changes = _forward(self.dae, k).call([ca.DM(each) for each in (*arguments, *values, *self._seeds(p))])
        value = self._assembled([each.full() for each in values], True)
        by_parameter = [
            self._assembled([each.full()[:, i * w : (i + 1) * w] for each, w in _widths(changes, k)], False)
            for i in range(k)
        ]
        parts = ("E", "A", "B", "C", "D")
        stacked = {part: np.array([getattr(each, part) for each in by_parameter]) for part in parts}
        return value, Descriptor(**stacked)

    def _seeds(self, p: np.ndarray) -> list[np.ndarray]:
        """Return the changes of (x, z, u, p, a, lambda) along each parameter, with the equilibrium that follows it."""
        at, n = unknown_slices(self.dae), self.dae.tree.size
        s = self.configuration.slopes(p, self.columns)
        along = np.zeros((len(p), len(self.columns)))
        along[self.columns, np.arange(len(self.columns))] = 1.0
        x = np.vstack([s[at.q], np.zeros((n, len(self.columns))), s[at.w]])
        return [x, s[at.z], s[at.u], along, np.zeros((n, len(self.columns))), s[at.multipliers]]

    def _assembled(self, parts: list[np.ndarray], whole: bool) -> Descriptor:
        """Return the matrices of derivatives of the equations; not `whole`, of changes, without what is constant."""
        dae = self.dae
        mass, x, z, u, output_x, output_z, output_u, J = parts
        n, nx, nz, m = dae.tree.size, len(dae.x), len(dae.z), len(J)
        size, force = nx + nz + m, slice(n, 2 * n)
        E, A, B = np.zeros((size, size)), np.zeros((size, size)), np.zeros((size, len(dae.u)))
        E[force, force] = (mass + mass.T) / 2
        sign = np.concatenate([-np.ones(n), np.ones(nx - 2 * n + nz)])[:, None]
        A[n : nx + nz, : nx + nz] = sign * np.hstack([x, z])
        B[n : nx + nz] = sign * u
        A[force, nx + nz :] = J.T
        A[n + np.array(dae.tree.prescribed_columns, dtype=int), nx + nz :] = 0.0
        A[nx + nz :, :n] = J
        variables = np.zeros((nx + nz, size))
        if whole:
            E[:n, :n], A[:n, force] = np.eye(n), np.eye(n)
            E[2 * n : nx, 2 * n : nx] = np.eye(nx - 2 * n)
            variables[:, : nx + nz] = np.eye(nx + nz)
        C = np.vstack([np.hstack([output_x, output_z, np.zeros((len(output_x), m))]), variables])
        D = np.vstack([output_u, np.zeros((nx + nz, len(dae.u)))])
        return Descriptor(E, A, B[:, self._inputs], C[self._rows], D[np.ix_(self._rows, self._inputs)])


def frequency_response(value: Descriptor, change: Descriptor, frequency: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the response (f, l, m) at frequencies (f,) [rad/s], and its derivatives (k, f, l, m).

    Raises
    ------
    ComputationError
        The response is infinite at a frequency, or too large for a number.
    """
    s = 1j * frequency[:, None, None]
    pencil = s * value.E - value.A
    try:
        X = np.linalg.solve(pencil, np.broadcast_to(value.B, (len(s), *value.B.shape)))
        left = _from_left(value.C, pencil)
    except np.linalg.LinAlgError:
        raise ComputationError(
            "The frequency response is infinite at a frequency: an undamped mode is there. Give the arm damping, or "
            "leave that frequency out."
        ) from None
    response = value.C @ X + value.D
    if not len(change.A):
        return response, np.zeros((0, *response.shape), dtype=complex)
    slopes = [
        C @ X + left @ (A @ X - s * (E @ X) + B) + D
        for E, A, B, C, D in zip(change.E, change.A, change.B, change.C, change.D, strict=True)
    ]
    return response, np.array(slopes)


def _from_left(C: np.ndarray, pencil: np.ndarray) -> np.ndarray:
    """Return Y (f, l, N) with Y pencil = C."""
    columns = np.broadcast_to(C.T, (len(pencil), *C.T.shape))
    return np.swapaxes(np.linalg.solve(np.swapaxes(pencil, 1, 2), columns), 1, 2)


def pole_slopes(value: Descriptor, change: Descriptor, pole: complex) -> np.ndarray:
    """Return the derivatives (k,) of a simple pole [1/s]."""
    pencil = pole * value.E - value.A
    # Rows and columns of unit size: beside forces of loops, strains of beams would be lost.
    row = 1 / np.maximum(np.max(np.abs(pencil), axis=1), np.finfo(float).tiny)
    scaled = pencil * row[:, None]
    column = 1 / np.maximum(np.max(np.abs(scaled), axis=0), np.finfo(float).tiny)
    U, _, V = np.linalg.svd(scaled * column)
    right, left = column * V[-1].conj(), row * U[:, -1].conj()
    slopes = np.einsum("i,kij,j->k", left, change.A - pole * change.E, right)
    return slopes / (left @ value.E @ right)


def _widths(changes: Sequence[ca.DM], k: int) -> list[tuple[ca.DM, int]]:
    return [(each, each.shape[1] // k) for each in changes]


@lru_cache(maxsize=16)
def _all_slopes(dae: DAE) -> ca.Function:
    """Return `derivatives_function` with the Jacobian of the closures as one more result."""
    slopes = derivatives_function(dae)
    symbols = slopes.mx_in()
    closures = ca.Function("closures", [*dae.posture_symbols], [dae.expressions.constraint_jacobian])
    results = [*slopes.call(symbols), *closures.call([symbols[0][: dae.tree.size], symbols[3]])]
    return ca.Function("all_slopes", symbols, [ca.densify(each) for each in results])


@lru_cache(maxsize=16)
def _forward(dae: DAE, k: int) -> ca.Function:
    return _all_slopes(dae).forward(k)
