"""Implicit step of an arm with inputs held: Radau IIA of three stages on inverse dynamics, and its derivatives.

The unknowns are the accelerations and the rates of first-order states at all stages, found by Newton's method from zero
in a fixed number of iterations, so that a step is one expression, as in a controller. Vibrations that are faster than
the step decay, as the method is L-stable (Hairer & Wanner, Solving Ordinary Differential Equations II, section IV.5).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import casadi as ca
import numpy as np

from flexblocks.control.design.linear_solve import solve_without_pivots
from flexblocks.dae.dae import DAE

ROOT = np.sqrt(6.0)
A = np.array(
    [
        [(88 - 7 * ROOT) / 360, (296 - 169 * ROOT) / 1800, (-2 + 3 * ROOT) / 225],
        [(296 + 169 * ROOT) / 1800, (88 + 7 * ROOT) / 360, (-2 - 3 * ROOT) / 225],
        [(16 - ROOT) / 36, (16 + ROOT) / 36, 1 / 9],
    ]
)
C = A.sum(axis=1)
AA = A @ A  # of coordinates, whose rates are states
STAGES = len(A)
# Forces are linear in accelerations and nearly so in what a step moves: the second iteration leaves 1e-10 of the motion
# of two flexible links at 1 rad/s in a step of 10 ms, where the method itself leaves 1e-5.
ITERATIONS = 2


@dataclass(frozen=True, eq=False)
class ImplicitStep:
    """State after a step, and how it depends on what the step began with.

    Derivatives are those of the implicit function theorem, with the matrices of the last iteration.

    Attributes
    ----------
    after : SX (nx, 1)
    disturbed : tuple of int
        States whose rates are disturbed.
    """

    after: ca.SX
    disturbed: tuple[int, ...]
    _model: DAE
    _step: ca.SX | float
    _move: ca.SX  # of the state, with the rates of all stages
    _free: ca.SX  # of the state, with the state before
    _matrix: ca.SX
    _residuals: dict[str, ca.SX]  # their derivatives in the state, the inputs, the parameters and disturbances of rates

    def along(self, x: ca.SX, u: ca.SX | None = None, p: ca.SX | None = None) -> ca.SX:
        """Return the derivatives (nx, k) of the state after along k directions of state, inputs and parameters."""
        by = self._residuals
        right = by["x"] @ x
        for name, direction in (("u", u), ("p", p)):
            if direction is not None and direction.shape[0]:
                right = right + by[name] @ direction
        return self._free @ x + self._moved(right)

    @cached_property
    def by_state(self) -> ca.SX:
        """Derivative (nx, nx) in the state before."""
        return self._free + self._moves[:, : len(self._model.x)]

    @cached_property
    def by_inputs(self) -> ca.SX:
        """Derivative (nx, nu) in the inputs."""
        nx = len(self._model.x)
        return self._moves[:, nx : nx + len(self._model.u)]

    @cached_property
    def by_rates(self) -> ca.SX:
        """Derivative (nx, k) in disturbances, held over the step, that are added to the rates of `disturbed`."""
        n, drift = self._model.tree.size, ca.SX(len(self._model.x), len(self.disturbed))
        for k, state in enumerate(self.disturbed):
            if state < n:
                drift[state, k] = self._step
        return drift + self._moves[:, len(self._model.x) + len(self._model.u) :]

    @cached_property
    def _moves(self) -> ca.SX:
        return self._moved(ca.horzcat(*[self._residuals[name] for name in ("x", "u", "disturbances")]))

    def _moved(self, right: ca.SX) -> ca.SX:
        return self._move @ solve_without_pivots(self._matrix, ca.SX(-right))


def implicit_step(
    model: DAE, x: ca.SX, u: ca.SX, p: ca.SX, step: ca.SX | float, disturbed: Sequence[int] = ()
) -> ImplicitStep:
    """Return one step from x (nx, 1), with inputs u (nu, 1) held.

    Parameters
    ----------
    model : DAE
        An arm without loops, algebraic variables and prescribed motions.
    x, u, p : SX
    step : float or SX
        [s]
    disturbed : sequence of int
        The states (k) whose rates are disturbed.
    """
    equations, n, m = _equations(model), model.tree.size, len(model.x) - model.tree.size
    q, v, w = x[:n, :], x[n : 2 * n, :], x[2 * n :, :]

    def iteration(rates: list[ca.SX]) -> tuple[list[ca.SX], ca.SX, list[ca.SX]]:
        """Return the rates after an iteration, its matrix, and the derivatives K, D, M, U and P of the residuals."""
        stages = []
        for i in range(STAGES):
            moved = step * _weighted(A[i], rates)
            shift = step**2 * _weighted(AA[i], rates)[:n, :]
            at = ca.vertcat(q + step * C[i] * v + shift, v + moved[:n, :], w + moved[n:, :])
            stages.append(equations(at, rates[i], u, p))
        R, *derivatives = (ca.vertcat(*part) for part in zip(*stages, strict=True))
        K, D, M, *_ = derivatives
        matrix = _stage_matrix(K, D, M, step, n)
        change = solve_without_pivots(matrix, ca.SX(-R))
        return [rate + part for rate, part in zip(rates, ca.vertsplit(change, m), strict=True)], matrix, derivatives

    rates = [ca.SX.zeros(m)] * STAGES
    for _ in range(ITERATIONS - 1):
        rates, *_ = iteration(rates)
    rates, matrix, (K, D, M, U, P) = iteration(rates)
    last = step**2 * ca.horzcat(*[ca.DM(weight) * ca.DM.eye(m)[:n, :] for weight in AA[-1]])
    moved = step * ca.horzcat(*[ca.DM(weight) * ca.DM.eye(m) for weight in A[-1]])
    move = ca.vertcat(last, moved)
    free = ca.SX.eye(n + m)
    free[:n, n : 2 * n] = step * ca.DM.eye(n)
    after = free @ x + move @ ca.vertcat(*rates)
    places = step * ca.vertcat(*[C[i] * K[i * m : (i + 1) * m, :] for i in range(STAGES)])
    by_x = ca.horzcat(K, D[:, :n] + places, D[:, n:])
    by_d = ca.horzcat(places, -M)[:, list(disturbed)]
    residuals = {"x": by_x, "u": U, "p": P, "disturbances": by_d}
    return ImplicitStep(after, tuple(disturbed), model, step, move, free, matrix, residuals)


def _equations(model: DAE) -> ca.Function:
    """Return the function (x, rates, u, p) -> residual and its derivatives in q, (v, w), rates, u and p."""
    symbols, n = model.expressions.implicit_symbols, model.tree.size
    R = model.expressions.implicit.column
    arguments = [symbols[name] for name in ("x", "rates", "u", "p")]
    by_x, M, U, P = (ca.jacobian(R, symbol) for symbol in arguments)
    results = ca.cse([R, by_x[:, :n], by_x[:, n:], M, U, P])
    return ca.Function("equations", arguments, results)


def _weighted(weights: np.ndarray, rates: Sequence[ca.SX]) -> ca.SX:
    return ca.SX(sum((float(weight) * rate for weight, rate in zip(weights, rates, strict=True)), ca.SX(0)))


def _stage_matrix(K: ca.SX, D: ca.SX, M: ca.SX, step: ca.SX | float, n: int) -> ca.SX:
    """Return the derivative (s m, s m) of the residuals of all stages in the rates of all."""
    m = M.shape[1]
    rows = []
    for i in range(STAGES):
        own = slice(i * m, (i + 1) * m)
        row = []
        for j in range(STAGES):
            block = step * A[i, j] * D[own, :]
            block[:, :n] += step**2 * AA[i, j] * K[own, :]
            row.append(block + M[own, :] if i == j else block)
        rows.append(ca.horzcat(*row))
    return ca.sparsify(ca.vertcat(*rows))
