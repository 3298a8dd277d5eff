"""Intervals of a motion: two-stage Radau IIA collocation, condensed by one lifted Newton step; many of them at once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import casadi as ca
import numpy as np

from .evaluated import evaluated

# Radau IIA of order 3, and the square of its matrix for coordinates, whose second derivatives are unknowns.
NODE = np.array([1 / 3, 1.0])
A1 = np.array([[5 / 12, -1 / 12], [3 / 4, 1 / 4]])
A2 = np.array([[1 / 9, -1 / 18], [1 / 2, 0.0]])
STAGES = len(NODE)
# Newton steps of an interval end where a step changes its unknowns by this share, or is this share of the first.
CONVERGED, REDUCED = 1e-6, 1e-8


class StepError(ArithmeticError):
    """What a step needs has no number, a system of equations no solution, or there is no time left."""


@dataclass(frozen=True, eq=False)
class Intervals:
    """The intervals of an arm.

    Attributes
    ----------
    residual : casadi.Function
        (x, rates, u, p, force) -> residual and its derivatives in x, rates and u.
    sizes : dict
        Those of the kernel.
    """

    residual: ca.Function
    sizes: Mapping[str, int]

    @cached_property
    def columns(self) -> int:
        """Derivatives in state and input, and the Newton step."""
        return self.sizes["NX"] + self.sizes["NU"] + 1

    def linearized(
        self,
        x: np.ndarray,
        u: np.ndarray,
        K: np.ndarray,
        H: np.ndarray,
        p: np.ndarray,
        force: np.ndarray,
        *,
        of: int = 0,
    ) -> np.ndarray:
        """Return what the equations of intervals are solved by (k, rows, columns).

        Parameters
        ----------
        x, u, K : ndarray (k, nx), (k, nu), (k, rows)
            Starts, inputs and rates.
        H : ndarray (k,)
            Lengths [s].
        p, force : ndarray
        of : int
            Unknown forces in which derivatives stand behind the others.

        Raises
        ------
        StepError
        """
        n, nx, nu, rates = (self.sizes[name] for name in ("NQ", "NX", "NU", "RATES_"))
        count, m = len(x), nx - n
        K = K.reshape(count, STAGES, rates)
        h = H[:, None, None]
        at = np.empty((count, STAGES, nx))
        at[:, :, :n] = x[:, None, :n] + h * NODE[:, None] * x[:, None, n : 2 * n] + h * h * (A2 @ K[:, :, :n])
        at[:, :, n:] = x[:, None, n:] + h * (A1 @ K[:, :, :m])
        points = [at.reshape(-1, nx), K.reshape(-1, rates), np.repeat(u, STAGES, axis=0)]
        R, Rx, Ry, Ru = (
            part.reshape(count, STAGES, *part.shape[1:]) for part in evaluated(self.residual, points, [p, force])
        )
        J = np.zeros((count, STAGES, rates, STAGES, rates))
        for j in range(STAGES):
            J[:, j, :, j] = Ry[:, j]
            for stage in range(STAGES):
                J[:, j, :, stage, :m] += h * A1[j, stage] * Rx[:, j, :, n:]
                J[:, j, :, stage, :n] += h * h * A2[j, stage] * Rx[:, j, :, :n]
        right = np.zeros((count, STAGES, rates, self.columns + of))
        right[..., :n] = -Rx[..., :n]
        right[..., n : 2 * n] = -(h[..., None] * NODE[:, None, None] * Rx[..., :n] + Rx[..., n : 2 * n])
        right[..., 2 * n : nx] = -Rx[..., 2 * n :]
        right[..., nx : nx + nu] = -Ru
        right[..., nx + nu] = -R[..., 0]
        right[:, :, :of, self.columns :] = np.eye(of)
        rows = STAGES * rates
        try:
            JK = np.linalg.solve(J.reshape(count, rows, rows), right.reshape(count, rows, -1))
        except np.linalg.LinAlgError as error:
            raise StepError(str(error)) from error
        if not np.all(np.isfinite(JK)):
            raise StepError("the equations of motion have no finite solution")
        return JK

    def ends(self, x: np.ndarray, K: np.ndarray, H: np.ndarray) -> np.ndarray:
        """Return the ends (k, nx) of intervals that begin at x with rates K."""
        n = self.sizes["NQ"]
        drift = np.zeros_like(x)
        drift[:, :n] = H[:, None] * x[:, n : 2 * n]
        return x + drift + self._moved(K[:, :, None], H)[:, :, 0]

    def ends_moved(self, JK: np.ndarray, H: np.ndarray, *, columns: slice) -> np.ndarray:
        """Return what columns of `linearized` move the ends by (k, nx, ...), by the rates alone."""
        return self._moved(JK[:, :, columns], H)

    def transition(self, JK: np.ndarray, H: np.ndarray) -> np.ndarray:
        """Return the derivatives of the ends in the starts (k, nx, nx)."""
        n, nx = self.sizes["NQ"], self.sizes["NX"]
        T = self._moved(JK[:, :, :nx], H) + np.eye(nx)
        T[:, np.arange(n), n + np.arange(n)] += H[:, None]
        return T

    def _moved(self, columns: np.ndarray, H: np.ndarray) -> np.ndarray:
        n, nx, rates = self.sizes["NQ"], self.sizes["NX"], self.sizes["RATES_"]
        K, h = columns.reshape(len(columns), STAGES, rates, -1), H[:, None, None]
        of_q = h * h * np.einsum("s,ksic->kic", A2[-1], K[:, :, :n])
        return np.concatenate([of_q, h * np.einsum("s,ksic->kic", A1[-1], K[:, :, : nx - n])], axis=1)

    def advanced(
        self, x: np.ndarray, u: np.ndarray, K: np.ndarray, H: float, p: np.ndarray, force: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the end (nx,) of the motion from x (nx,) under u (nu,), and its rates (rows,), as far as Newton gets.

        Raises
        ------
        StepError
        """
        length, K, first = np.array([H]), K.copy(), 0.0
        for step in range(self.sizes["NEWTON_STEPS"]):
            change = self.linearized(x[None], u[None], K[None], length, p, force)[0, :, self.columns - 1]
            K += change
            size = float(change @ change)
            first = size if step == 0 else first
            if size <= CONVERGED**2 * float(K @ K) or size <= REDUCED**2 * first:
                break
        end = self.ends(x[None], K[None], length)[0]
        if not np.all(np.isfinite(end)):
            raise StepError("the motion has no finite end")
        return end, K

    def settled(
        self,
        law: ca.Function,
        x: np.ndarray,
        limits: tuple[np.ndarray, np.ndarray],
        H: float,
        p: np.ndarray,
        force: np.ndarray,
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return end, inputs and rates of the motion from x (nx,) under a law, with the inputs of its end.

        So it comes to rest however long the interval is, while inputs that follow what vibrates, sampled at its
        beginning, would drive it.

        Parameters
        ----------
        law : casadi.Function
            (x, p, force) -> inputs and their derivatives in x.
        x : ndarray (nx,)
        limits : ndarray (nu,), ndarray (nu,)
            Low and high.
        H : float
            [s]
        p, force : ndarray

        Raises
        ------
        StepError
        """
        nx, nu, rates = (self.sizes[name] for name in ("NX", "NU", "RATES_"))
        length, K, u = np.array([H]), np.zeros(STAGES * rates), np.clip(np.zeros(nu), *limits)
        first, size = 0.0, 0.0
        for step in range(self.sizes["NEWTON_STEPS"]):
            JK = self.linearized(x[None], u[None], K[None], length, p, force)
            newton = JK[0, :, self.columns - 1]
            end = self.ends(x[None], (K + newton)[None], length)[0]
            wanted, slope = (part.full() for part in law(end, p, force))
            moved = self.ends_moved(JK, length, columns=slice(nx, nx + nu))[0]
            try:
                du = np.linalg.solve(np.eye(nu) - slope @ moved, wanted.ravel() - u)
            except np.linalg.LinAlgError as error:
                raise StepError(str(error)) from error
            du = np.clip(u + du, *limits) - u
            change = newton + JK[0, :, nx : nx + nu] @ du
            u, K, size = u + du, K + change, float(change @ change)
            if not np.isfinite(size):
                raise StepError("the motion has no finite end")
            first = size if step == 0 else first
            if size <= CONVERGED**2 * float(K @ K) or size <= REDUCED**2 * first:
                break
        if size > first:
            raise StepError("the equations of motion are not solved: Newton's method runs away")
        return self.ends(x[None], K[None], length)[0], u, K


@dataclass(frozen=True, eq=False)
class OnIntervals:
    """Functions of the arm, sizes and constants, as the kernel in C has them (`iteration_source`)."""

    functions: Mapping[str, ca.Function]
    sizes: Mapping[str, int]
    constants: Mapping[str, Any]

    @cached_property
    def intervals(self) -> Intervals:
        return Intervals(self.functions["RESIDUAL"], self.sizes)
