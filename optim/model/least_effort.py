"""Motion of least effort of the equivalent rigid arm, for the initial guess."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from flexblocks.libraries import scipy

from ..presolve.phase_transcription import PhaseTranscription
from ..presolve.rigid_motion.bent_motion import POINTS, STEP, BentMotion
from ..presolve.rigid_motion.quasi_static_path import follows_from_balance
from ..presolve.rigid_motion.waypoint_spline import Waypoint

LESS = 0.5  # of the smooth motion's effort, below which the motion is another one; by trial: 0.3 yes, 0.6 no
BEYOND = 10.0  # weight of what exceeds a limit, relative to as much effort; by trial
ENOUGH = 1e-3  # relative change of the effort at which the search ends: a guess
MOST = 30  # evaluations, of which 5 to 24 are usual; what is not found by then is no better a guess


def least_effort_waypoints(t: PhaseTranscription) -> tuple[Waypoint, ...]:
    """Return postures between start and goal of a rigid motion with much less effort than the smooth one; else none.

    An arm that stands up or stretches out holds its weight, and its least effort is to swing through postures where
    that takes little; a long one folds on its way. Both are far from the quintic, with a Hessian that is indefinite all
    the way there. Here the motion is the quintic spline through a few postures of the driven coordinates, its inputs
    follow by inverse dynamics, and the postures by nonlinear least squares. One linearisation shows beforehand whether
    there is so much to gain.

    None for objectives of other things than inputs, prescribed bases, and where all of the guess is made of equilibria.
    """
    weights = _input_weights(t)
    dae, tree = t.dae, t.dae.tree
    knows = tree.prescribed or dae.u.with_role("disturbance")
    if not weights or t.passed or knows or follows_from_balance(dae):
        return ()
    effort = _Effort(t, weights)
    still = np.zeros(effort.motion.count)
    before = effort.cost(still)
    smooth = float(before @ before)
    slope = effort.slope(still)
    nearest = np.linalg.lstsq(slope, -before, rcond=None)[0]
    if not np.isfinite(slope).all() or not np.sum((before + slope @ nearest) ** 2) < LESS * smooth:
        return ()
    jacobian: Any = effort.slope  # typed as a method by its name alone
    swung = scipy.optimize.least_squares(effort.cost, still, jacobian, ftol=ENOUGH, max_nfev=MOST)
    return effort.motion.waypoints(swung.x) if swung.success and 2 * swung.cost < LESS * smooth else ()


def _input_weights(t: PhaseTranscription) -> Mapping[int, np.ndarray]:
    """Return the weights of the squared inputs and their rates; none where the objective has other terms than time."""
    objective, inputs = t.objective.lasting(t.mesh.duration), t.dae.u.names
    if any(not term.input_weights(inputs) and not term.time_weight for _, term in objective.terms):
        return {}
    weights = objective.input_weights(inputs)
    return {order: weight for order, weight in weights.items() if order < 2 and weight.any()}


class _Effort:
    """The effort of the rigid arm along motions that are bent by c (count,), as residuals of a least-squares problem.

    Parameters
    ----------
    t : PhaseTranscription
    weights : mapping of int to ndarray (nu,)
        Of the squared inputs and their rates, by order.
    """

    def __init__(self, t: PhaseTranscription, weights: Mapping[int, np.ndarray]) -> None:
        self._t, self._weights = t, weights
        self.motion = BentMotion(t.dae, t.start, t.problem.start, t.waypoints, t.mesh.duration)
        u = self.motion.inputs(np.zeros((1, self.motion.count)))
        self._unit = np.sqrt(sum(np.sum(weight * (u, self._rates(u))[order] ** 2) for order, weight in weights.items()))
        self._rate = np.maximum(self.motion.rates, self.motion.size / t.mesh.duration)

    def cost(self, c: np.ndarray) -> np.ndarray:
        """Return the residuals: weighted inputs and rates, and what exceeds limits, at all points."""
        return self._costs(c[None], self.motion.inputs(c[None]))[0]

    def slope(self, c: np.ndarray) -> np.ndarray:
        """Return the derivatives of the residuals by c, by finite differences."""
        costs = self._costs(self.motion.steps(c), self.motion.inputs_of_steps(c))
        return (costs[1:] - costs[0]).T / STEP

    def _rates(self, u: np.ndarray) -> np.ndarray:
        return np.gradient(u, self._t.mesh.duration / (POINTS - 1), axis=1)

    def _costs(self, c: np.ndarray, u: np.ndarray) -> np.ndarray:
        limits, n, weights = self._t.limits, self._t.dae.tree.size, self._weights
        q, v, _ = self.motion.motions(c)
        du = self._rates(u)
        effort = [np.sqrt(weight) * (u, du)[order] for order, weight in weights.items()]
        order = min(weights)
        beyond = [
            _excess((u, du)[order], limits.inputs[order], weights[order] ** -0.5),
            self._unit / np.sqrt(POINTS) * _excess(q, limits.x[:n], self._rate * self._t.mesh.duration),
            self._unit / np.sqrt(POINTS) * _excess(v, limits.x[n : 2 * n], self._rate),
        ]
        return np.concatenate([part.reshape(len(c), -1) for part in (*effort, *(BEYOND * b for b in beyond))], axis=1)


def _excess(values: np.ndarray, limits: np.ndarray, unit: np.ndarray) -> np.ndarray:
    """Return by how much values (..., k) are beyond their limits (k, 2) in units (k,), of those k that have one."""
    limited = np.isfinite(limits).any(axis=1)
    values, (low, high) = values[..., limited], limits[limited].T
    return np.maximum(np.maximum(values - high, low - values), 0.0) / unit[limited]
