"""Parametric predictor-corrector: Newton's method tracks a solution as the data of its program change.

A predictor and correctors with one factorisation, as in sIPOPT (Pirnay, Lopez-Negrete & Biegler 2012). The result is
only a start: IPOPT tests it for optimality like any iterate, and continues from there if necessary.

The matrix is that of a solution and is not updated: as long as every step reduces the error sufficiently, the matrices
in between are nonsingular, so a minimum remains a minimum.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import casadi as ca
import numpy as np

from ..greyboxes.buffered import Buffered
from .data import ProgramInstance
from .kkt import KktSystem
from .oracle import Oracle

#: At CONTRACTION per step 20 steps gain six digits; beyond that IPOPT is faster.
MOST_STEPS = 20
#: Required ratio of successive errors; by trial.
CONTRACTION = 0.5


class Predictor:
    """Newton's method on the optimality conditions of a program; a factorisation is reused while it contracts.

    Parameters
    ----------
    oracle : Oracle
    has_adjoints : bool
        Whether its functions can be differentiated; otherwise J' lambda is a product with the Jacobian.

    Attributes
    ----------
    factorizations : int
        Number of factorisations so far.
    """

    def __init__(self, oracle: Oracle, has_adjoints: bool):
        x, p, g = (oracle.problem[name] for name in ("x", "p", "g"))
        self._n, lam = x.numel(), ca.MX.sym("lam", g.numel())
        gradient = oracle.derivatives["grad_f"](x, p)[1]
        jacobian = oracle.derivatives["jac_g"](x, p)[1]
        hessian = oracle.derivatives["hess_lag"](x, p, 1.0, lam)
        pulled_back = ca.jtimes(g, x, lam, True) if has_adjoints else ca.mtimes(jacobian.T, lam)
        conditions = [ca.densify(g), ca.densify(gradient + pulled_back)]
        self._conditions = Buffered(ca.Function("conditions", [x, p, lam], conditions))
        entries = [ca.densify(ca.vec(matrix.nz[:])) for matrix in (hessian, jacobian)]
        self._entries = Buffered(ca.Function("entries", [x, p, lam], entries))
        self._system = KktSystem(hessian.sparsity(), jacobian.sparsity())
        self._step: Callable[[np.ndarray], np.ndarray]
        self._in_play = np.zeros(0, dtype=bool)
        self._met, self._lost = self._in_play, False
        self.factorizations = 0

    def predict(
        self, instance: ProgramInstance, solved: ProgramInstance, tolerance: float
    ) -> tuple[ProgramInstance, int] | None:
        """Return a program started at its predicted solution, and the number of Newton steps.

        Parameters
        ----------
        instance : Posed
        solved : Posed
            The same program with other data, at its solution.
        tolerance : float
            Largest violation of a constraint, and largest derivative of the Lagrangian.

        Returns
        -------
        (Posed, int) or None
            None if Newton's method fails or the active set changes; prediction resumes once two consecutive solutions
            have the same active set.
        """
        sides = self._sides(solved, instance)
        before, self._met = self._met, self._in_play_at(sides)
        if self._lost and not np.array_equal(before, self._met):
            return None
        prediction = None
        if np.array_equal(self._met, self._in_play):
            prediction = self._followed(instance, sides, tolerance)
        if prediction is None and self._factor(solved, sides):
            prediction = self._followed(instance, sides, tolerance)
        self._lost = prediction is None
        return prediction

    def prepare(self, solved: ProgramInstance) -> None:
        """Factor at a solution before the next change of data."""
        self._factor(solved, self._sides(solved, solved))

    def _sides(self, solved: ProgramInstance, instance: ProgramInstance) -> np.ndarray:
        """Return the active bounds (n + m,) of a program, predicted from a solution with other data."""
        g, _ = self._conditions(solved.x0, solved.p, solved.lam_g0)
        multipliers = np.append(solved.lam_x0, solved.lam_g0)
        low, high = instance.low, instance.high
        sides = _active(np.append(solved.x0, g), multipliers, solved.low, solved.high)
        sides = np.where(low == high, 1, sides)
        return np.where(np.isfinite(np.where(sides < 0, low, high)), sides, 0)

    def _in_play_at(self, sides: np.ndarray) -> np.ndarray:
        """Return which variables are free and which constraints are active, (n + m,)."""
        return np.append(sides[: self._n] == 0, sides[self._n :] != 0)

    def _factor(self, solved: ProgramInstance, sides: np.ndarray) -> bool:
        """Factor at a solution; false if the matrix is singular or too expensive to factor."""
        hessian, jacobian = self._entries(solved.x0, solved.p, solved.lam_g0)
        in_play = self._in_play_at(sides)
        try:
            self._step = self._system.factored(hessian, jacobian, in_play)
        except RuntimeError:
            return False
        self._in_play = in_play
        self.factorizations += 1
        return True

    def _followed(
        self, instance: ProgramInstance, sides: np.ndarray, tolerance: float
    ) -> tuple[ProgramInstance, int] | None:
        """Iterate while the error contracts and the active set does not change."""
        n, low, high, error = self._n, instance.low, instance.high, np.inf
        active, target = sides != 0, np.where(sides < 0, low, high)
        x, lam = instance.x0, instance.lam_g0
        for steps in range(MOST_STEPS):
            x, lam = np.where(active[:n], target[:n], x), np.where(active[n:], lam, 0.0)
            g, slope = self._conditions(x, instance.p, lam)
            lam_x = np.where(active[:n], -slope, 0.0)
            residual = np.where(self._in_play, np.append(slope, g - target[n:]), 0.0)
            last, error = error, float(np.abs(residual).max(initial=0.0))
            if not error < CONTRACTION * last:
                return None
            if steps and not np.array_equal(_active(np.append(x, g), np.append(lam_x, lam), low, high), sides):
                return None
            if error <= tolerance:
                return replace(instance, x0=x, lam_x0=lam_x, lam_g0=lam), steps
            step = self._step(-residual)
            x, lam = x + step[:n], lam + step[n:]
        return None


def _active(values: np.ndarray, multipliers: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Return the active bounds: 1 the upper, -1 the lower, 0 none; 1 for equalities.

    By complementarity either the multiplier or the distance from the bound is zero at a solution, so the larger one
    decides, as in primal-dual active set methods (Hintermueller, Ito & Kunisch 2002).
    """
    upper, lower = multipliers + (values - high) > 0, multipliers + (values - low) < 0
    return np.where(low == high, 1, upper.astype(int) - (lower & ~upper))
