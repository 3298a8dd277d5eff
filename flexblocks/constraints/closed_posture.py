"""Closed postures: coordinates that satisfy all loop closures, some of them held.

Of the coordinates that are not held, joints move first: beams bend only where joints alone cannot close the loops.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from flexblocks.constraints.continuation import led
from flexblocks.constraints.deformation import deformation, deforming
from flexblocks.constraints.loop_equations import (
    ClosureEquations,
    LoopError,
    closure_equations,
    closure_slopes,
    free_columns,
    gap,
    mismatches,
)
from flexblocks.constraints.loop_newton import CLOSED, RANK, least_strained, nearest, polished
from flexblocks.constraints.singularities.change_points import change_points, joints_in_line, passed_words
from flexblocks.dae.dae import DAE
from flexblocks.errors import listing
from flexblocks.libraries import scipy
from flexblocks.user_warning import warn
from flexblocks.warning_kinds import CHANGE_POINT, OTHER_ASSEMBLY

POLISHED = 1e-6  # mismatch of a posture that a solver of another kind has closed [lengths of the loops, rad]
SAME = 1e-3  # difference of postures that count as one, where the loops are closed up to that mismatch
TRIES = 5  # starting points of a search, the first of which is the caller's
# Ratio of singular values below which links are in line: their angle has the square root of the closure's error.
IN_LINE = 1e-4
# A motion that is tried [rad, lengths of the loops], and the growth of that ratio there which marks a singular posture;
# beside one of which links are 1e-4 rad out of line it grows a hundredfold.
BESIDE, BETTER = 0.01, 10.0
SPREAD = 0.3  # half-width of the random spread of the others [rad, lengths of the loops]; by trial


def closed_posture(dae: DAE, target: np.ndarray, p: np.ndarray, held: np.ndarray, where: str) -> np.ndarray:
    """Return the closed posture (n,) with the coordinates in the mask `held` (n,) at their `target`.

    It is led there from the start, and so stays in the assembly of the linkage that the start shows. If the way is
    blocked, it is searched for around the target.

    Raises
    ------
    LoopError
        No closed posture was found.

    Warns
    -----
    FlexblocksWarning
        The way from the start passes a change point, or the posture was searched for: it may belong to another
        assembly. Not if more is held than the linkage has degrees of freedom: the caller then chose it.
    """
    equations, start = closure_equations(dae), (dae.x.start[: dae.tree.size], dae.p.start)
    # The caller chose a posture of its own if more coordinates are held than can move independently.
    J = equations.mismatch(*start)[1].full() * equations.unit
    chosen = held.sum() > len(held) - np.linalg.matrix_rank(J, tol=RANK * np.linalg.norm(J, 2))
    for free in choices(dae, held):
        stiffness = _stiffness(dae, *start) if (free & deforming(dae)).any() else None
        way = led(equations, start, target, p, held, free, stiffness)
        if way is not None:
            if not chosen:
                warn_of_change_points(dae, way, p, held, where)
            return _relaxed(dae, equations, way[-1], p, free)
        q = searched(dae, target, p, free) if chosen else None
        if q is not None:
            return q
    for free in choices(dae, held) if not chosen else ():
        q = searched(dae, target, p, free)
        if q is not None:
            refuse_singular(dae, q, p, where)
            warn(
                f"{where.rstrip(': ')}: the loops of '{dae.name}' open on the way from the start to "
                f"{listing(_values(dae, target, held))}; the posture that was found there may belong to another "
                "assembly of the linkage. Start nearer to it, or give more coordinates.",
                OTHER_ASSEMBLY,
            )
            return q
    raise not_closed(dae, target, p, held, where)


def same_assembly(dae: DAE, start: np.ndarray, q: np.ndarray, p: np.ndarray) -> bool:
    """Whether the closed posture `start` (n,) can be led to `q` (n,), loops closed all the way, by parameters `p`.

    Independent coordinates are led along a straight line, those that are independent at one of the two postures.

    Warns
    -----
    FlexblocksWarning
        The way passes a change point, at which assemblies meet.
    """
    equations = closure_equations(dae)
    if gap(equations, q, p) > POLISHED:
        return False
    for posture in (q, start):
        J = equations.mismatch(posture, p)[1].full() * equations.unit
        factors = scipy.linalg.qr(J, pivoting=True, mode="r")
        diagonal = np.abs(np.diag(np.asarray(factors[0])))
        independent = np.ones(len(q), dtype=bool)
        independent[factors[-1][: int(np.sum(diagonal > RANK * diagonal[0]))]] = False
        way = led(equations, (polished(equations, start, p, ~independent), p), q, p, independent, ~independent)
        if way is not None and np.max(np.abs((way[-1] - q) / equations.unit)) < SAME:
            warn_of_change_points(dae, way, p, independent & ~deforming(dae), "a posture of the plan")
            return True
    return False


def warn_of_change_points(dae: DAE, way: np.ndarray, p: np.ndarray, led_ones: np.ndarray, where: str) -> None:
    """Warn where the way from the start to a posture passes change points; `led_ones` (n,) are named with the place."""
    behind = change_points(dae, way, p, led_ones)
    if len(behind):
        passed = way[behind[0] - 1].round(3)
        told = passed_words(listing(_values(dae, passed, led_ones), 3), joints_in_line(dae, way[behind - 1], p))
        warn(
            f"{where.rstrip(': ')}: on the way from the start values of '{dae.name}', {told}; the posture that was "
            "found belongs to one of several assemblies. Start beyond that point, or give more coordinates.",
            CHANGE_POINT,
        )


def searched(dae: DAE, q: np.ndarray, p: np.ndarray, free: np.ndarray) -> np.ndarray | None:
    """Return a closed posture around `q`, or None if none was found; of those with bent beams one of least energy."""
    equations, rng = closure_equations(dae), np.random.default_rng(0)
    bends = free & deforming(dae)
    for attempt in range(TRIES if free.any() else 1):
        start = q.copy()
        start[free] += SPREAD * bool(attempt) * rng.uniform(-1, 1, free.sum()) * equations.unit[free]
        start = np.where(free, equations.within(q, start), q)
        # Joints alone as far as they reach, then beams.
        near = nearest(equations, start, p, free & ~bends)
        for closed in _closed(dae, equations, near, p, free):
            if gap(equations, closed, p) <= CLOSED:
                return _relaxed(dae, equations, closed, p, free) if bends.any() else closed
    return None


def _closed(
    dae: DAE, equations: ClosureEquations, near: np.ndarray, p: np.ndarray, free: np.ndarray
) -> Iterator[np.ndarray]:
    """Yield postures that may be closed: of least strain energy, and of least motion."""
    yield _relaxed(dae, equations, polished(equations, near, p, free & ~deforming(dae)), p, free)
    yield polished(equations, near, p, free)
    yield polished(equations, nearest(equations, near, p, free), p, free)


def _relaxed(dae: DAE, equations: ClosureEquations, q: np.ndarray, p: np.ndarray, free: np.ndarray) -> np.ndarray:
    """Return the posture of least strain energy next to `q`, which is `q` if no beam may bend."""
    if not (free & deforming(dae)).any():
        return q
    relaxed = least_strained(equations, _stiffness(dae, q, p), q, p, free)
    return relaxed if gap(equations, relaxed, p) <= CLOSED else q


def _stiffness(dae: DAE, q: np.ndarray, p: np.ndarray) -> np.ndarray:
    """Return the stiffness (n, n) of the bodies that deform."""
    return deformation(dae).energies(q, p)[1].full()


def choices(dae: DAE, held: np.ndarray) -> Iterable[np.ndarray]:
    """Yield masks (n,) of coordinates that may move: first joints alone, then all that are not held."""
    joints = ~held & ~deforming(dae)
    if joints.any() and (joints != ~held).any():
        yield joints
    yield ~held


def not_closed(dae: DAE, q: np.ndarray, p: np.ndarray, held: np.ndarray, where: str) -> LoopError:
    """Return the error that names the smallest mismatch."""
    kept = _values(dae, q, held)
    left = mismatches(dae, nearest(closure_equations(dae), q, p, ~held), p)
    return LoopError(
        f"{where.rstrip(': ')}: the loops of '{dae.name}' cannot be closed{f' with {listing(kept)}' if kept else ''}: "
        f"{left} are left, and must be zero. {'Hold fewer coordinates, or others' if kept else 'Change lengths'}, or "
        "start nearer to a closed posture."
    )


def _values(dae: DAE, q: np.ndarray, held: np.ndarray) -> list[str]:
    return [f"{name} = {value:g}" for name, value, fixed in zip(dae.q_names, q, held, strict=True) if fixed]


def refuse_singular(dae: DAE, q: np.ndarray, p: np.ndarray, where: str) -> None:
    """Refuse a posture in which the loops do not determine how they move on."""
    J = closure_slopes(dae, q, p)
    everywhere, free = np.arange(len(q)), free_columns(dae)
    if _is_singular(dae, q, p, J, everywhere):
        raise LoopError(
            f"{where.rstrip(': ')}: singular posture: the loops of '{dae.name}' do not determine how they move on "
            "(links in line, at a change point or a dead centre). Start beside it."
        )
    if dae.prescribed and _is_singular(dae, q, p, J, free):
        raise LoopError(
            f"{where.rstrip(': ')}: singular posture: the loops of '{dae.name}' do not let {listing(dae.prescribed)} "
            "move on as prescribed there (a dead centre). Start beside it, or prescribe another coordinate."
        )


def _is_singular(dae: DAE, q: np.ndarray, p: np.ndarray, J: np.ndarray, columns: np.ndarray) -> bool:
    """Whether closures with slopes `J` (m, n) at `q` (n,) do not determine how the coordinates at `columns` move.

    There they barely do, and much better beside it: the least singular value is in proportion with the distance from a
    singular posture. That of a long linkage is small everywhere: of a scissor lift of 20 stages 7e-5 of the largest.
    """
    values = np.linalg.svd(J[:, columns], compute_uv=False)
    if not is_in_line(J[:, columns]) or len(values) < len(J):
        return is_in_line(J[:, columns])
    equations, right = closure_equations(dae), np.linalg.svd(J)[2]
    for along in right[len(J) - 1 :]:  # what is next to free, and what is
        for way in (BESIDE, -BESIDE):
            there = equations.within(q, q + way * along / np.max(np.abs(along)) * equations.unit)
            there = polished(equations, there, p, np.ones(len(q), dtype=bool))
            if gap(equations, there, p) > POLISHED:
                continue
            beside = np.linalg.svd(closure_slopes(dae, there, p)[:, columns], compute_uv=False)
            if beside[-1] / beside[0] > BETTER * values[-1] / values[0]:
                return True
    return False


def is_in_line(J: np.ndarray, share: float = IN_LINE) -> bool:
    """Whether closures with these slopes (m, n) do not determine how the coordinates move, but for this share."""
    values = np.linalg.svd(J, compute_uv=False)
    return bool(len(J) and (len(values) < len(J) or values[-1] <= share * values[0]))
