"""The quadratic programme of an iteration without its states, by an interior-point method; as the kernel's in C.

Condensing as Andersson (2013), Mehrotra's predictor and corrector. Limits that are soft have slacks with linear and
square prices, which are eliminated like those of the others.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.linalg import cho_solve

from .intervals import StepError

# A step is this share of the longest that keeps slacks and prices positive; one shorter than the other is none.
STEP, LEAST_STEP = 0.995, 1e-10


@dataclass(eq=False)
class Programme:
    """Linear-quadratic problem over a horizon, scaled: stages along the first axis of each array.

    Attributes
    ----------
    first : ndarray (nx,)
        The state at its start.
    A, B, b : ndarray
        Transitions.
    Q, S, R, q, r : ndarray
        Costs; Q and q of the end, too.
    C, D, low, high : ndarray
        General constraints of all stages and of the end, where those on changes of inputs are left out; at the first
        stage only if some depend on its input.
    u_low, u_high : ndarray (intervals, nu)
    """

    first: np.ndarray
    A: np.ndarray
    B: np.ndarray
    b: np.ndarray
    Q: np.ndarray
    S: np.ndarray
    R: np.ndarray
    q: np.ndarray
    r: np.ndarray
    C: np.ndarray
    D: np.ndarray
    low: np.ndarray
    high: np.ndarray
    u_low: np.ndarray
    u_high: np.ndarray


@dataclass(frozen=True, eq=False)
class Sides:
    """Constraints ``A u + t >= bound``, of which `soft` have a slack t."""

    A: np.ndarray
    bound: np.ndarray
    soft: np.ndarray


@dataclass(frozen=True, eq=False)
class Point:
    """A point of the interior: slacks s and prices lam of sides, t and nu of soft ones, residuals."""

    H: np.ndarray
    sides: Sides
    square: float
    u: np.ndarray
    s: np.ndarray
    lam: np.ndarray
    t: np.ndarray
    nu: np.ndarray
    rd: np.ndarray
    r1: np.ndarray
    r2: np.ndarray

    @cached_property
    def mu(self) -> float:
        """Mean product of slacks and prices."""
        return self.mean(self.s, self.lam, self.t, self.nu)

    def mean(self, s: np.ndarray, lam: np.ndarray, t: np.ndarray, nu: np.ndarray) -> float:
        pairs = len(s) + np.count_nonzero(self.sides.soft)
        return float(s @ lam + (t * nu)[self.sides.soft].sum()) / pairs if pairs else 0.0

    @cached_property
    def left(self) -> float:
        """Largest residual."""
        return max(self.mu, *(float(np.abs(part).max(initial=0.0)) for part in (self.rd, self.r1, self.r2)))

    @cached_property
    def w0(self) -> np.ndarray:
        return self.lam / self.s

    @cached_property
    def D(self) -> np.ndarray:
        return np.where(self.sides.soft, self.square + self.w0 + self.nu / self.t, np.inf)

    @cached_property
    def kept(self) -> np.ndarray:
        """What slacks leave of the weights: 1 - w0 / D, without its cancellation."""
        return np.where(self.sides.soft, (self.square + self.nu / self.t) / self.D, 1.0)

    @cached_property
    def w(self) -> np.ndarray:
        """Weights of the sides in the matrix that is factorised."""
        return self.w0 * self.kept

    @cached_property
    def factor(self) -> np.ndarray:
        A = self.sides.A
        return np.linalg.cholesky(self.H + A.T @ (self.w[:, None] * A))

    def direction(self, target: float, second: np.ndarray, second_soft: np.ndarray) -> tuple[np.ndarray, ...]:
        """Return changes of u, s, lam, t, nu for these products, of which the second order is known."""
        soft, s, t, nu, w0 = self.sides.soft, self.s, self.t, self.nu, self.w0
        of_s, of_t = target - s * self.lam - second, target - t * nu - second_soft
        of_side, of_slack = of_s / s - w0 * self.r1, np.where(soft, of_t / t - self.r2, 0.0)
        e = np.where(soft, (of_side + of_slack) / self.D, 0.0)
        c = of_side * self.kept - w0 / self.D * of_slack
        du = cho_solve((self.factor, True), self.sides.A.T @ c - self.rd)
        moved = self.sides.A @ du
        dt = np.where(soft, e - w0 / self.D * moved, 0.0)
        return du, moved + dt + self.r1, c - self.w * moved, dt, np.where(soft, (of_t - nu * dt) / t, 0.0)

    def longest(self, ds: np.ndarray, dlam: np.ndarray, dt: np.ndarray, dnu: np.ndarray) -> float:
        """Return the longest step, at most one, that keeps all slacks and prices from zero."""
        values, changes = np.concatenate([self.s, self.lam, self.t, self.nu]), np.concatenate([ds, dlam, dt, dnu])
        falling = changes < 0
        return float(np.min(-values[falling] / changes[falling], initial=1.0))


@dataclass
class Solver:
    """The method.

    Attributes
    ----------
    constants : dict
        Those of the kernel.
    limit : int
        Of iterations.
    check : callable
        Called before each iteration; it may raise.
    iterations : int
        Taken so far.
    """

    constants: Mapping[str, Any]
    limit: int
    check: Callable[[], None]
    iterations: int = 0

    def solved(self, qp: Programme, soft: int) -> tuple[np.ndarray, np.ndarray]:
        """Return changes of states (intervals + 1, nx) and inputs (intervals, nu).

        Parameters
        ----------
        qp : Programme
        soft : int
            How many of the general constraints are soft: the first ones.

        Raises
        ------
        StepError
            It did not converge.
        """
        G, d = _condensed_states(qp)
        H, g = _condensed_cost(qp, G, d)
        u = self._minimum(H, g, _sides(qp, G, d, soft))
        return d + G @ u, u.reshape(len(qp.A), qp.B.shape[2])

    def _minimum(self, H: np.ndarray, g: np.ndarray, sides: Sides) -> np.ndarray:
        """Return the minimum of u'Hu/2 + g'u and the prices of slacks within the sides."""
        linear, square, slack, price = (
            float(self.constants[name]) for name in ("SLACK_LINEAR", "SLACK_SQUARE", "FIRST_SLACK", "FIRST_PRICE")
        )
        soft, none = sides.soft, np.zeros(len(sides.bound))
        # Soft sides begin kept by their slacks, whose price those that are violated share with them.
        u, t = np.zeros(len(g)), np.where(soft, slack + np.maximum(sides.bound, 0.0), 1.0)
        s = np.maximum(-sides.bound + np.where(soft, t, 0.0), slack)
        lam = np.where(soft & (sides.bound > 0), (linear + square * t) / 2, price / s)
        nu = np.where(soft, linear + square * t - lam, 0.0)
        while True:
            self.check()
            r1 = sides.A @ u - sides.bound + np.where(soft, t, 0.0) - s
            r2 = np.where(soft, linear + square * t - lam - nu, 0.0)
            at = Point(H, sides, square, u, s, lam, t, nu, H @ u + g - sides.A.T @ lam, r1, r2)
            if not at.left < np.inf:
                raise StepError("the quadratic programme has no finite solution")
            if at.left <= self.constants["QP_TOLERANCE"] or self.iterations >= self.limit:
                break
            try:
                du, *others = at.direction(0.0, none, none)
            except np.linalg.LinAlgError:
                break
            if len(s):
                # Predictor, then corrector.
                share, (ds, dlam, dt, dnu) = at.longest(*others), others
                ahead = at.mean(s + share * ds, lam + share * dlam, t + share * dt, nu + share * dnu)
                du, *others = at.direction((ahead / at.mu) ** 3 * at.mu, ds * dlam, dt * dnu)
            share = STEP * at.longest(*others)
            if share < LEAST_STEP:
                break
            u = u + share * du
            s, lam, t, nu = (value + share * change for value, change in zip((s, lam, t, nu), others, strict=True))
            self.iterations += 1
        if not at.left <= self.constants["QP_ACCEPTED"]:
            raise StepError("the quadratic programme did not converge")
        return u


def _condensed_states(qp: Programme) -> tuple[np.ndarray, np.ndarray]:
    """Return derivatives (intervals + 1, nx, variables) of the states in all inputs, and states (..., nx) without."""
    (intervals, nx, nu) = qp.B.shape
    G, d = np.zeros((intervals + 1, nx, intervals * nu)), np.zeros((intervals + 1, nx))
    d[0] = qp.first
    for k in range(intervals):
        G[k + 1] = qp.A[k] @ G[k]
        G[k + 1, :, k * nu : (k + 1) * nu] = qp.B[k]
        d[k + 1] = qp.A[k] @ d[k] + qp.b[k]
    return G, d


def _condensed_cost(qp: Programme, G: np.ndarray, d: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return Hessian and gradient in all inputs, by a sweep backwards."""
    intervals, _, nu = qp.B.shape
    H, g = np.zeros((intervals * nu, intervals * nu)), np.zeros(intervals * nu)
    Y, y = qp.Q[-1] @ G[-1], qp.q[-1] + qp.Q[-1] @ d[-1]
    for k in reversed(range(intervals)):
        own = slice(k * nu, (k + 1) * nu)
        H[own] = qp.B[k].T @ Y + qp.S[k] @ G[k]
        H[own, own] += qp.R[k]
        g[own] = qp.r[k] + qp.B[k].T @ y + qp.S[k] @ d[k]
        Y = qp.A[k].T @ Y + qp.Q[k] @ G[k]
        y = qp.q[k] + qp.A[k].T @ y + qp.Q[k] @ d[k]
    # Of each row the part up to its diagonal block is complete.
    lower = np.tril(H)
    return lower + np.tril(lower, -1).T, g


def _sides(qp: Programme, G: np.ndarray, d: np.ndarray, soft: int) -> Sides:
    intervals, _, nu = qp.B.shape
    rows, low, high = [np.eye(intervals * nu)], [qp.u_low.ravel()], [qp.u_high.ravel()]
    is_soft = [np.zeros(intervals * nu, dtype=bool)]
    for k in range(0 if np.any(qp.D[0, :soft]) else 1, intervals + 1):
        last = k == intervals
        rows_here = soft if k in (0, intervals) else qp.C.shape[1]
        row = qp.C[k, :rows_here] @ G[k]
        if not last:
            row[:, k * nu : (k + 1) * nu] += qp.D[k, :rows_here]
        free = qp.C[k, :rows_here] @ d[k]
        rows.append(row)
        low.append(qp.low[k, :rows_here] - free)
        high.append(qp.high[k, :rows_here] - free)
        is_soft.append(np.arange(rows_here) < soft)
    every, least, most = np.vstack(rows), np.concatenate(low), np.concatenate(high)
    A, bound = np.vstack([every, -every]), np.concatenate([least, -most])
    kept = np.isfinite(bound)
    return Sides(A[kept], bound[kept], np.tile(np.concatenate(is_soft), 2)[kept])
