"""Parametric predictor-corrector: Newton's method follows a solution when numbers of its program change.

A predictor and correctors by one factorisation, in the manner of sIPOPT (Pirnay, Lopez-Negrete & Biegler 2012). What is
found is only a start: IPOPT tests it for optimality as it tests every iterate, and goes on from there if it has to.

The matrix is that of a solution, and not made anew on the way: as long as every step with it lessens the error by much,
the matrices between are not singular, and what was a minimum at one end is none the less one at the other.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import casadi as ca
import numpy as np

from ..greyboxes.buffered import Buffered
from .data import Posed
from .kkt import KktSystem
from .oracle import Oracle

#: At CONTRACTION a step, 20 steps gain six digits; whoever needs more is better off with IPOPT.
MOST_STEPS = 20
#: Every step has to take the error down to this share.
CONTRACTION = 0.5


class Predictor:
    """Newton's method for one program. A factorisation serves until it is too old for the way to go.

    Parameters
    ----------
    oracle : Oracle
    has_adjoints : bool
        Whether its functions can be differentiated; otherwise J' lambda is a product with the Jacobian.

    Attributes
    ----------
    factorizations : int
        Made so far.
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

    def predict(self, posed: Posed, solved: Posed, tolerance: float) -> tuple[Posed, int] | None:
        """Return a program started at its solution, and in how many steps that was found.

        Parameters
        ----------
        posed : Posed
        solved : Posed
            The same program with other numbers, at a solution.
        tolerance : float
            Largest violation of a constraint, and largest derivative of the Lagrangian.

        Returns
        -------
        (Posed, int) or None
            None where Newton's method finds no solution, or one at which other bounds hold with equality; then it is
            tried again once the same bounds have held at two solutions in turn.
        """
        sides = self._sides(solved, posed)
        before, self._met = self._met, self._in_play_at(sides)
        if self._lost and not np.array_equal(before, self._met):
            return None
        found = None
        if np.array_equal(self._met, self._in_play):
            found = self._followed(posed, sides, tolerance)
        if found is None and self._factor(solved, sides):
            found = self._followed(posed, sides, tolerance)
        self._lost = found is None
        return found

    def prepare(self, solved: Posed) -> None:
        """Factor at a solution ahead of the next change."""
        self._factor(solved, self._sides(solved, solved))

    def _sides(self, solved: Posed, posed: Posed) -> np.ndarray:
        """Return which bounds of a program hold with equality (n + m,), to judge by a solution with other numbers."""
        g, _ = self._conditions(solved.x0, solved.p, solved.lam_g0)
        multipliers = np.append(solved.lam_x0, solved.lam_g0)
        low, high = posed.low, posed.high
        sides = _active(np.append(solved.x0, g), multipliers, solved.low, solved.high)
        sides = np.where(low == high, 1, sides)
        return np.where(np.isfinite(np.where(sides < 0, low, high)), sides, 0)

    def _in_play_at(self, sides: np.ndarray) -> np.ndarray:
        """Return which variables are free and which constraints hold with equality, (n + m,)."""
        return np.append(sides[: self._n] == 0, sides[self._n :] != 0)

    def _factor(self, solved: Posed, sides: np.ndarray) -> bool:
        """Factor at a solution; false where there is no one way to go, or it would take too long to find."""
        hessian, jacobian = self._entries(solved.x0, solved.p, solved.lam_g0)
        in_play = self._in_play_at(sides)
        try:
            self._step = self._system.factored(hessian, jacobian, in_play)
        except RuntimeError:
            return False
        self._in_play = in_play
        self.factorizations += 1
        return True

    def _followed(self, posed: Posed, sides: np.ndarray, tolerance: float) -> tuple[Posed, int] | None:
        """Go on as long as the error falls and no other bounds would hold."""
        n, low, high, error = self._n, posed.low, posed.high, np.inf
        active, target = sides != 0, np.where(sides < 0, low, high)
        x, lam = posed.x0, posed.lam_g0
        for steps in range(MOST_STEPS):
            x, lam = np.where(active[:n], target[:n], x), np.where(active[n:], lam, 0.0)
            g, slope = self._conditions(x, posed.p, lam)
            lam_x = np.where(active[:n], -slope, 0.0)
            residual = np.where(self._in_play, np.append(slope, g - target[n:]), 0.0)
            last, error = error, float(np.abs(residual).max(initial=0.0))
            if not error < CONTRACTION * last:
                return None
            if steps and not np.array_equal(_active(np.append(x, g), np.append(lam_x, lam), low, high), sides):
                return None
            if error <= tolerance:
                return replace(posed, x0=x, lam_x0=lam_x, lam_g0=lam), steps
            step = self._step(-residual)
            x, lam = x + step[:n], lam + step[n:]
        return None


def _active(values: np.ndarray, multipliers: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Return which bounds hold with equality: 1 the upper, -1 the lower, 0 none; 1 where there is but one value.

    Of a multiplier and the distance from the bound one is zero at a solution, so that the larger one tells, as in
    primal-dual active set methods (Hintermueller, Ito & Kunisch 2002).
    """
    upper, lower = multipliers + (values - high) > 0, multipliers + (values - low) < 0
    return np.where(low == high, 1, upper.astype(int) - (lower & ~upper))
