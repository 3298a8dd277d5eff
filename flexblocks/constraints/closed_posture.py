"""Closed postures: coordinates that satisfy all loop closures, by least squares and Newton's method.

Of the coordinates that are not held, joints move first: beams stay undeformed if joints alone can close the loops.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import scipy.optimize

from flexblocks.constraints.loop_equations import ClosureEquations, LoopError, closure_equations, gap, mismatches
from flexblocks.dae.dae import DAE
from flexblocks.errors import listing

CLOSED = 1e-10  # residual of a closure that counts as zero [m, rad]: rounding, amplified by the size of an arm
RANK = 1e-8  # singular values of the constraint Jacobian below this fraction of the largest count as zero
STEP, JUMP = 0.05, 0.5  # continuation from the start: its step, and the largest change in one step [rad, m]; by trial
TRIES = 5  # starting points of the search, the first of which is the caller's
SPREAD = 0.3  # half-width of the random spread of the other starting points [rad, m]; by trial


def closed_position(dae: DAE, q: np.ndarray, p: np.ndarray, held: np.ndarray, where: str) -> np.ndarray:
    """Return coordinates (n,) near `q` that close all loops; those in the mask `held` (n,) are unchanged.

    Raises
    ------
    LoopError
        No closed posture was found.
    """
    equations = closure_equations(dae)
    # Joints alone before all free coordinates, each from several starting points.
    for free in choices(dae, held):
        rng = np.random.default_rng(0)
        for attempt in range(TRIES if free.any() else 1):
            start = q.copy()
            start[free] += SPREAD * bool(attempt) * rng.uniform(-1, 1, free.sum())
            closed = polished(equations, _nearest(equations, start, p, free), p, free)
            if gap(equations, closed, p) <= CLOSED:
                return closed
    # No solution: report the smallest mismatch.
    kept = [f"{name} = {value:g}" for name, value, fixed in zip(dae.q_names, q, held, strict=True) if fixed]
    left = mismatches(dae, _nearest(equations, q, p, ~held), p)
    raise LoopError(
        f"{where.rstrip(': ')}: the loops of '{dae.name}' cannot be closed{f' with {listing(kept)}' if kept else ''}: "
        f"{left} are left, and must be zero. {'Hold fewer coordinates, or others' if kept else 'Change lengths'}, or "
        "start nearer to a closed posture."
    )


def led(dae: DAE, target: np.ndarray, p: np.ndarray, held: np.ndarray) -> np.ndarray:
    """Return the closed posture at `target`, by continuation from the start as the `held` coordinates move there.

    Thus a linkage stays in its assembly mode, where a direct search might find another one. If the continuation is
    blocked, the result is the target itself.
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
    """Yield masks (n,) of coordinates that may move: first joints alone, then all that are not held."""
    joints = ~held & ~deforming(dae)
    if joints.any() and (joints != ~held).any():
        yield joints
    yield ~held


def deforming(dae: DAE) -> np.ndarray:
    """Return the mask (n,) of the coordinates that deform a body, such as those of beams."""
    mask = np.zeros(dae.tree.size, dtype=bool)
    for body in dae.tree.bodies:
        if body.terms.size and body.terms.has_inertia and body.terms.outlets:
            mask |= np.any(body.share.full(), axis=0)
    return mask


def _nearest(equations: ClosureEquations, start: np.ndarray, p: np.ndarray, free: np.ndarray) -> np.ndarray:
    """Return the posture of least mismatch of the loops, by least squares from `start`."""
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
    """Return `q` after Newton steps of minimum norm."""
    for _ in range(10):
        r, J = (value.full() for value in equations.mismatch(q, p))
        step = np.linalg.lstsq(J[:, free], -r.ravel(), rcond=RANK)[0]
        q = q.copy()
        q[free] += step
        if np.max(np.abs(step), initial=0.0) < 1e-14:
            break
    return q
