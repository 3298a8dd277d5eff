"""Linear models of random arms, against finite differences of the equations of motion."""

from __future__ import annotations

import numpy as np

import flexblocks as fb
from benchmarks.fuzz.laws.trial import ROUNDING, Trial
from benchmarks.fuzz.outcome import OK, Outcome, wrong

# Step of the differences, as a fraction of the size of each state and input.
STEP = 1e-4
# What the differences may be off besides their own error: a fraction of the largest entry of a row.
OFF = 1e-6


def case(seed: int) -> Outcome:
    """Linearise a random arm: a tree in a random state, one with loops or dependent variables at its start."""
    trial = Trial.of(seed)
    dae, state = trial.dae, trial.state
    if len(trial.J) or trial.dependent or len(dae.z):
        lin = fb.linearize(dae, {"x": dae.x.start, "u": state.u})
        finite = all(np.all(np.isfinite(matrix)) for matrix in (lin.A, lin.B, lin.C, lin.D))
        return OK if finite else wrong("the linear model is not finite")
    lin = fb.linearize(dae, {"x": state.x, "u": state.u})
    if lin.states != dae.x.names:
        return wrong(f"states {lin.states}, of the arm {dae.x.names}")
    nx = len(dae.x)
    point = np.concatenate([state.x, state.u])
    # First-order states by their values, as nothing else is known of them.
    others = np.maximum(np.abs(state.x[2 * dae.tree.size :]), 1e-3)
    size = np.concatenate([state.size, 2 * state.size, others, np.ones(len(dae.u))])

    def rates(s: np.ndarray) -> np.ndarray:
        return dae.forward_dynamics(s[:nx], s[nx:], []).full()

    def differences(step: float) -> np.ndarray:
        steps = step * np.diag(size)
        return (rates(point[:, None] + steps) - rates(point[:, None] - steps)) / (2 * step)

    coarse, fine = differences(2 * STEP), differences(STEP)
    expected = (4 * fine - coarse) / 3
    slopes = np.hstack([lin.A, lin.B]) * size
    largest = np.max(np.abs(slopes), axis=1, keepdims=True)
    rounding = 1e3 * ROUNDING * min(trial.condition, 1e12) * np.abs(rates(point)) / STEP
    allowed = OFF * largest + np.abs(fine - coarse) + rounding
    apart = np.abs(slopes - expected)
    row, column = np.unravel_index(np.argmax(apart / np.where(allowed > 0, allowed, 1.0)), apart.shape)
    if apart[row, column] <= allowed[row, column]:
        return OK
    names = (*dae.x.names, *dae.u.names)
    return wrong(
        f"d der({names[row]}) / d {names[column]} = {slopes[row, column] / size[column]:.6g}, by differences "
        f"{expected[row, column] / size[column]:.6g} (condition of M {trial.condition:.1e})"
    )
