"""Newton's method on the closures of loops: the closed posture next to an open one."""

from __future__ import annotations

import numpy as np

from flexblocks.constraints.loop_equations import ClosureEquations, gap

SMALLEST = 1e-14  # steps that are not made [lengths of the loops, rad]
ROUNDING = 1e-11  # steps below this may be rounding [lengths of the loops, rad]
CLOSED = 1e-10  # mismatch that counts as zero [lengths of the loops, rad]: rounding
RANK = 1e-8  # singular values of the constraint Jacobian below this fraction of the largest count as zero
# Of the joints' motion in a posture of least strain energy: what a turn of 1 rad counts in units of the softest strain.
# Small beside it, so that joints move before anything bends; by trial.
IDLE = 1e-4
LEAP = 0.2  # longest step of a search for the least mismatch [rad, lengths of the loops]; by trial
DAMPING = 1e-3  # of its first step, as a share of the largest curvature; by trial
LEAST_DAMPING = 1e-12  # of any step: with less, what closes no loop is moved by rounding
NEAREST = 200  # its steps; half a turn takes 16
BENT = 100  # steps to the least strain energy, each a tenth of the length or less; a handful if beams bend little


def newton_step(equations: ClosureEquations, q: np.ndarray, p: np.ndarray, free: np.ndarray) -> np.ndarray:
    """Return the step (n,) of minimum norm, in the units of the coordinates, that closes the linearised loops.

    It is NaN at a posture that has no mismatch, out of the range of a block.
    """
    r, J = (value.full() for value in equations.mismatch(q, p))
    if not (np.all(np.isfinite(r)) and np.all(np.isfinite(J))):
        return np.full(len(q), np.nan)
    unit = equations.unit[free]
    step = np.zeros(len(q))
    step[free] = unit * np.linalg.lstsq(J[:, free] * unit, -r.ravel(), rcond=RANK)[0]
    return step


def polished(equations: ClosureEquations, q: np.ndarray, p: np.ndarray, free: np.ndarray) -> np.ndarray:
    """Return `q` after Newton steps of minimum norm in the mask `free` (n,).

    A coordinate that would leave its range stays near the end of it, and the others close the loops.
    """
    before = np.inf
    for _ in range(10):
        step = newton_step(equations, q, p, free)
        size = np.max(np.abs(step / equations.unit), initial=0.0)
        if not np.all(np.isfinite(step)):
            break
        ahead = q + step
        inside = np.where(free, equations.within(q, ahead), q)
        # Steps of a converging method that no longer shrink are rounding.
        if np.array_equal(inside, ahead) and (size < SMALLEST or ROUNDING > size > before / 2):
            break
        q, free = inside, free & (inside == ahead)
        # Of a method that converges quadratically, by this step and the one before.
        if np.isfinite(before) and size**3 < SMALLEST * before**2:
            break
        before = size
    return q


def nearest(equations: ClosureEquations, start: np.ndarray, p: np.ndarray, free: np.ndarray) -> np.ndarray:
    """Return the posture of least mismatch of the loops, by the Levenberg-Marquardt method in short steps from `start`.

    Short steps end in the assembly next to the start, where a search by leaps may come out anywhere.
    """
    unit, q, damping = equations.unit[free], start.copy(), DAMPING
    r, J = (value.full() for value in equations.mismatch(q, p))
    if not (np.all(np.isfinite(r)) and np.all(np.isfinite(J))):
        return start.copy()
    for _ in range(NEAREST if free.any() else 0):
        left, right = J[:, free] * unit, -r.ravel()
        # All directions are damped alike: those that close no loop stay where they are. As a problem of least squares
        # it has the condition of the closures, of which normal equations have the square.
        damper = np.sqrt(damping) * (np.linalg.norm(left, 2) or 1.0) * np.eye(len(unit))
        step = np.linalg.lstsq(np.vstack([left, damper]), np.append(right, np.zeros(len(unit))), rcond=None)[0]
        step *= min(1.0, LEAP / np.max(np.abs(step), initial=LEAP))
        trial = q.copy()
        trial[free] += unit * step
        trial = np.where(free, equations.within(q, trial), q)
        r_trial, J_trial = (value.full() for value in equations.mismatch(trial, p))
        if np.linalg.norm(r_trial) < np.linalg.norm(r):
            closer = np.linalg.norm(r_trial) < 0.999 * np.linalg.norm(r)
            q, r, J, damping = trial, r_trial, J_trial, max(damping / 4, LEAST_DAMPING)
            if np.linalg.norm(r) < CLOSED or not (closer or np.max(np.abs(step)) > 1e-6):
                break
        else:
            damping *= 8
            if damping > 1e8:
                break
    return q


def least_strained(
    equations: ClosureEquations, stiffness: np.ndarray, start: np.ndarray, p: np.ndarray, free: np.ndarray
) -> np.ndarray:
    """Return the closed posture of least strain energy near `start`, with coordinates in the mask `free` (n,) moved.

    Parameters
    ----------
    equations : ClosureEquations
    stiffness : ndarray (n, n)
        Of the bodies that deform; zero for joints, which move as little as that allows.
    start : ndarray (n,)
        Where the strained coordinates are measured from zero.
    p : ndarray (np,)
    free : ndarray (n,) of bool

    Notes
    -----
    Each step is the least energy that closes the linearised loops; joints cost little.
    """
    q, unit = start.copy(), equations.unit
    for _ in range(BENT):
        step = strain_step(equations, stiffness, q, p, free)
        if not np.all(np.isfinite(step)):
            return start.copy()
        size = np.max(np.abs(step / unit), initial=0.0)
        q = np.where(free, equations.within(q, q + step * min(1.0, 0.1 / size if size else 1.0)), q)
        if size < 1e-13:
            break
    return polished(equations, q, p, free) if gap(equations, q, p) > CLOSED else q


def strain_step(
    equations: ClosureEquations, stiffness: np.ndarray, q: np.ndarray, p: np.ndarray, free: np.ndarray
) -> np.ndarray:
    """Return the step (n,) to the least strain energy that closes the linearised loops; arguments: `least_strained`.

    It is NaN at a posture that has no mismatch.
    """
    r, J = (value.full() for value in equations.mismatch(q, p))
    if not (np.all(np.isfinite(r)) and np.all(np.isfinite(J))):
        return np.full(len(q), np.nan)
    unit, strained = equations.unit, np.diag(stiffness) > 0
    softest = np.min((np.diag(stiffness) * unit**2)[strained & free], initial=np.inf)
    idle = np.where(strained, 0.0, IDLE * (softest if np.isfinite(softest) else 1.0) / unit**2)
    root = np.linalg.cholesky((stiffness + np.diag(idle))[np.ix_(free, free)]).T
    J = J[:, free]
    # From the unstrained posture: the strain that is left, not what changes, is least.
    back = np.where(strained, q, 0.0)[free]
    whitened = np.linalg.solve(root.T, J.T).T
    target = np.linalg.solve(root, np.linalg.lstsq(whitened, J @ back - r.ravel(), rcond=1e-11)[0])
    step = np.zeros(len(q))
    step[free] = target - back
    return step
