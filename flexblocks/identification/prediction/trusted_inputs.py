"""First values by prediction errors of filters that trust the inputs ever more.

A filter that trusts no input follows the measurements whatever the unknowns are, and its errors reflect the arm from
sample to sample alone: their squares have few local minima. The more it trusts the inputs, the longer the motion
that counts; in the end it is a simulation.
"""

from __future__ import annotations

from copy import copy

import numpy as np

from flexblocks.identification.prediction.gauss_newton import ROUGH, Budget, Minimum, minimized
from flexblocks.identification.prediction.kalman_gains import KalmanGains, linear_model
from flexblocks.identification.prediction.problem import Problem

SHARES = (0.1, 1e-3)  # of the largest inputs, by which they err


def by_prediction_errors(problem: Problem, z: np.ndarray, compiled: bool, budget: Budget, label: str) -> Minimum:
    """Return where prediction errors lead from z (k,)."""
    filtered, found = copy(problem), None
    for share in SHARES:
        filtered.kalman = _kalman(problem, share, compiled)
        found = minimized(filtered, z, problem.unknowns.bounds(), budget, label, ROUGH)
        if found.evaluation is None:
            break
        z = found.evaluation.z
    assert found is not None
    return found


def _kalman(problem: Problem, share: float, compiled: bool) -> KalmanGains:
    """Return gains of a filter for inputs that err by a share of the largest, at least by what is given for them."""
    dae, largest = problem.dae, np.max([np.abs(record.u).max(axis=0) for record in problem.records], axis=0)
    inputs = {
        name: max(share * (float(size) or 1.0), problem.noise.get(name, 0.0))
        for name, size, role in zip(dae.u.names, largest, dae.u.roles, strict=True)
        if role != "disturbance"
    }
    return KalmanGains(dae, linear_model(dae, problem.measured), inputs, {}, compiled)
