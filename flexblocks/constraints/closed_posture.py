"""Postures in which all loops are closed, by least squares and Newton's method.

Of what is not held joints move first: beams stay as they are wherever joints alone can close the loops.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import scipy.optimize

from flexblocks.constraints.loop_equations import ClosureEquations, LoopError, closure_equations, gap, mismatches
from flexblocks.dae.dae import DAE
from flexblocks.errors import listing

CLOSED = 1e-10  # what may be left of a closure [m, rad]
RANK = 1e-8  # singular values of closures below this share of the largest are zero
STEP, JUMP = 0.05, 0.5  # along the way from the start to what was asked for [rad, m]
TRIES = 5  # starts of the search, the first where it was given
SPREAD = 0.3  # of the other starts [rad, m]


def closed_position(dae: DAE, q: np.ndarray, p: np.ndarray, held: np.ndarray, where: str) -> np.ndarray:
    """Return coordinates (n,) near `q` that close all loops; those `held` (n,) bool stay as they are.

    Raises
    ------
    LoopError
    """
    equations = closure_equations(dae)
    for free in choices(dae, held):
        rng = np.random.default_rng(0)
        for attempt in range(TRIES if free.any() else 1):
            start = q.copy()
            start[free] += SPREAD * bool(attempt) * rng.uniform(-1, 1, free.sum())
            found = polished(equations, _nearest(equations, start, p, free), p, free)
            if gap(equations, found, p) <= CLOSED:
                return found
    kept = [f"{name} = {value:g}" for name, value, fixed in zip(dae.q_names, q, held, strict=True) if fixed]
    left = mismatches(dae, _nearest(equations, q, p, ~held), p)
    raise LoopError(
        f"{where.rstrip(': ')}: the loops of '{dae.name}' cannot be closed{f' with {listing(kept)}' if kept else ''}: "
        f"{left} are left. {'Hold fewer coordinates, or others' if kept else 'Change lengths'}, or start nearer to a "
        "closed posture."
    )


def led(dae: DAE, target: np.ndarray, p: np.ndarray, held: np.ndarray) -> np.ndarray:
    """Return the closed posture to which the start leads as what is `held` goes to its `target` in small steps.

    So a linkage stays in the way it is assembled, where a search from afar may find another. Where the way is barred it
    is the target itself.
    """
    equations, start, n = closure_equations(dae), dae.x.start[: dae.tree.size], dae.tree.size
    change = np.concatenate([target - start, p - dae.p.start])
    steps = int(np.ceil(np.max(np.abs(change), initial=0.0) / STEP))
    for free in choices(dae, held):
        q = start
        for s in np.linspace(0, 1, steps + 1)[1:]:
            trial = np.where(free, q, start + s * change[:n])
            q_new = polished(equations, trial, dae.p.start + s * change[n:], free)
            if gap(equations, q_new, dae.p.start + s * change[n:]) > CLOSED or np.max(np.abs(q_new - q)) > JUMP:
                break
            q = q_new
        else:
            return q
    return target


def choices(dae: DAE, held: np.ndarray) -> Iterable[np.ndarray]:
    """Yield which coordinates (n,) may move: first joints alone, then all that are not held."""
    joints = ~held & ~deforming(dae)
    if joints.any() and (joints != ~held).any():
        yield joints
    yield ~held


def deforming(dae: DAE) -> np.ndarray:
    """Return which coordinates (n,) change the shape of a body, such as those of beams."""
    found = np.zeros(dae.tree.size, dtype=bool)
    for body in dae.tree.bodies:
        if body.terms.size and body.terms.has_inertia and body.terms.outlets:
            found |= np.any(body.share.full(), axis=0)
    return found


def _nearest(equations: ClosureEquations, start: np.ndarray, p: np.ndarray, free: np.ndarray) -> np.ndarray:
    """Return where the loops miss least, searched from `start`."""
    if not free.any():
        return start

    def full(part: np.ndarray) -> np.ndarray:
        q = start.copy()
        q[free] = part
        return q

    result = scipy.optimize.least_squares(
        lambda part: equations.mismatch(full(part), p)[0].full().ravel(),
        start[free],
        jac=lambda part: equations.mismatch(full(part), p)[1].full()[:, free],  # pyright: ignore
        xtol=1e-14,
        ftol=1e-14,
        gtol=1e-14,
    )
    return full(result.x)


def polished(equations: ClosureEquations, q: np.ndarray, p: np.ndarray, free: np.ndarray) -> np.ndarray:
    """Return `q` after Newton steps of least length."""
    for _ in range(10):
        r, J = (value.full() for value in equations.mismatch(q, p))
        step = np.linalg.lstsq(J[:, free], -r.ravel(), rcond=RANK)[0]
        q = q.copy()
        q[free] += step
        if np.max(np.abs(step), initial=0.0) < 1e-14:
            break
    return q
