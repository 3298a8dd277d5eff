"""Size of a motion so far, and the absolute tolerances that follow it.

Errors are measured by how far a state has come from its start: a stage that moves by nanometres beside 0 or beside 1 m
gets the same figures as one that moves by metres. Coordinates share one size, as do their rates, so that what stays at
rest by symmetry needs none; states of first order share one by unit. No tolerance is below rounding: that
of the states, that of the equations, and what these make of it within the shortest time in which anything moves.
"""

from __future__ import annotations

import numpy as np

from flexblocks.dae.explicit_steps import LARGE
from flexblocks.simulation.integrators.integrator import Options
from flexblocks.simulation.integrators.stepper import ErrorScale, jacobian_at, of_kinds
from flexblocks.simulation.system import System

# Rounding of a number, half a unit in its last place at most.
ROUNDING = 2.0**-54
# Displacements, and how many, by which the equations show how rough rounding makes them: linear but for that.
PROBE, PROBES = 1e-13, 8
# Smallest absolute tolerances, below what a motion of 1e-9 m and its work need: what never moves has them, and from
# rest, where a motion has no size yet, steps begin with them.
SMALLEST, SMALLEST_WORK = 1e-18, 1e-28
# The equations are linearised again where the motion has grown so many times, from so many metres or radians on.
GROWN, FIRST = 1e3, 1e-6


class MotionSize:
    """Size of a motion so far.

    Parameters
    ----------
    system : System
    options : Options
    X : ndarray (nx + 1,)
        State and work at the start.
    span : float
        Length of the run [s].
    """

    def __init__(self, system: System, options: Options, X: np.ndarray, span: float) -> None:
        self._system, self._options, self._span = system, options, span
        self._origin, self._furthest, self._largest = X.copy(), np.zeros(len(X)), np.abs(X)
        n = system.dae.tree.size
        self._kinds, self._counts = np.array(system.dae.tree.state_kinds(system.dae.x.units)), (n, len(X) - 1 - 2 * n)
        self._jacobian: np.ndarray | None = None
        self._noise = np.zeros(len(X))
        self._quickest, self._linearized = span, 0.0

    def reach(self, states: np.ndarray) -> None:
        """Note the states with work (k, nx + 1) that the motion has come to."""
        self._furthest = np.maximum(self._furthest, np.max(np.abs(states - self._origin), axis=0))
        self._largest = np.maximum(self._largest, np.max(np.abs(states), axis=0))

    def scale(self, t: float, X: np.ndarray, P: np.ndarray) -> ErrorScale:
        """Return what errors are measured by, from `t` [s] and `X` (nx + 1,) on."""
        options, furthest = self._options, of_kinds(self._furthest, self._kinds)
        furthest[-1] = max(furthest[-1], self._kinetic_energy(X))
        moved = min(float(np.max(self._furthest[self._kinds < 2], initial=0.0)), LARGE)
        if self._jacobian is None or moved > GROWN * self._linearized:
            self._linearize(t, X, P)
            self._linearized = max(moved, FIRST)
        least, algebraic = self._rounding(furthest[-1]), max(moved, SMALLEST / options.atol)
        return ErrorScale(options.rtol, options.atol, self._origin, furthest, least, self._kinds, algebraic)

    def _kinetic_energy(self, X: np.ndarray) -> float:
        energy = self._system.dae.interpreted.energy
        return float(energy(X[:-1], self._system.p)[0]) if energy.n_in() == 2 else 0.0

    def _rounding(self, work: float) -> np.ndarray:
        """Return what rounding leaves of each state (nx + 1,), with `work` [J] done."""
        n, w = self._counts
        least = np.repeat([SMALLEST, SMALLEST / self._span, SMALLEST, SMALLEST_WORK], [n, n, w, 1])
        own = np.maximum(ROUNDING * self._largest, least)
        own[-1] = max(ROUNDING * work, SMALLEST_WORK)
        assert self._jacobian is not None
        for _ in range(2):  # of coordinates on their rates, and of these on the work
            own = np.maximum(own, (np.abs(self._jacobian) @ own + self._noise) * self._quickest)
        return own

    def _linearize(self, t: float, X: np.ndarray, P: np.ndarray) -> None:
        """Note the Jacobian of the equations, their quickest change [s], and how rounding makes them rough."""
        rates, shift = self._system.equations.rates, PROBE * np.maximum(np.abs(X), 1.0)[:, None]
        near = X[:, None] + shift * np.random.default_rng(0).uniform(-1.0, 1.0, (len(X), PROBES))
        jacobian, values = jacobian_at(rates, t, X, P), np.array(rates(t, np.column_stack([X, near]), P))
        noise = np.max(np.abs(values[:, 1:] - values[:, :1] - jacobian @ (near - X[:, None])), axis=1)
        if not np.all(np.isfinite(jacobian)) or not np.all(np.isfinite(noise)):
            jacobian, noise = np.zeros_like(jacobian), np.zeros(len(X))  # no equations hold; the integrator will say so
        fastest = float(np.max(np.abs(np.linalg.eigvals(jacobian)), initial=0.0))
        self._jacobian, self._noise = jacobian, noise
        self._quickest = min(self._span, 1.0 / fastest if fastest else np.inf)
