"""Inverse statics: static equilibrium with points of the arm at prescribed positions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.statics.balance import unknown_slices
from flexblocks.statics.operating_point import OperatingPoint

from ...tolerances import MET, RESIDUE
from ..equilibrium import slow_motions
from ..floating_base import carried_base
from .admissible import Admissible
from .posture_choice import nearest_fit
from .posture_program import PostureProgram, posture_program
from .posture_starts import unwound
from .refused_posture import out_of_reach, search_ended, too_weak_to_hold
from .search_time import time_is_over

# A posture with joints turned back by whole turns is taken if it is no farther than this many times, in the metric
# of the mass matrix: a wrist hardly counts there (1.2 times), a joint that swings the arm the other way does (17).
ALIKE = 2.0
INSIDE = 0.05  # of the room between two limits by name, by which postures keep off them where they can; by trial
ROUNDS = 12  # in which a floating base and its joints find to each other; usual are four
SETTLED = 1e-3  # rad or lengths of the arm: the posture is a first guess


@dataclass(frozen=True, eq=False)
class Posture:
    """A posture of rest.

    Attributes
    ----------
    point : OperatingPoint
    freedom : int
        Dimension of the self-motion manifold: in how many ways the coordinates can change with the prescribed values
        kept.
    """

    point: OperatingPoint
    freedom: int


def posture(
    dae: DAE,
    prescribed: Mapping[str, float],
    near: OperatingPoint,
    admissible: Admissible,
    where: str,
    still: Mapping[str, float] | None = None,
) -> Posture:
    """Solve inverse statics: the equilibrium with prescribed coordinates and outputs that is nearest to another.

    Parameters
    ----------
    dae : DAE
    prescribed : dict of float
        By name of a coordinate, an output or a point position (``"payload.x"``), see `Signals`; values at rest.
    near : OperatingPoint
        Of several postures the one with the least distance (q - q0)' M (q - q0) from this one is taken, and its
        parameters hold. A linkage stays in its assembly.
    admissible : Admissible
        The limits that it keeps. Of postures that keep the path constraints, too, the nearest is taken; if none does,
        the nearest of all.
    where : str
        For messages.
    still : dict of float, optional
        Coordinates of a floating base: without forces from outside it goes where the joints take it, and nowhere else.
        A posture that keeps the momentum is taken, if there is one.

    Raises
    ------
    ProblemError
        There is no such equilibrium; the message says how far it is missed.
    """
    low, high = admissible.bounds(dae)
    others = {name: value for name, value in (still or {}).items() if name not in prescribed}
    exact = posture_program(dae, prescribed, near, admissible)
    # A floating base where it is, if it can stay there; off the limits first, where a motion has room
    staying = [posture_program(dae, prescribed, near, admissible, others)] if others else []
    rooms = (INSIDE, 0.0) if len(exact.kept[0]) else (0.0,)
    program, found = exact, None
    for program in (one.inside(room) for one in (*staying, exact) for room in rooms):
        found = nearest_fit(program, admissible)
        if found is not None:
            break
    if found is None and time_is_over():
        raise search_ended(where, prescribed)
    if found is None:
        _refuse_weak_inputs(program, prescribed, where)
        found = _from_the_nearest(program, prescribed, where)
    best, least = found
    # The metric of one posture is blind to whole turns.
    for s in unwound(dae, near, program.start, best):
        there = program.solved(s) if np.all((s >= low) & (s <= high)) else None
        if there is not None and there[1] < ALIKE * least:
            best = there[0]
            break
    if others and len(program.target) > len(exact.target):
        best = _carried(program, best, [dae.q_names.index(name) for name in others])
    J = np.vstack([part.full() for part in exact.equations(best)[2:]])
    return Posture(program.point(best), slow_motions(J, dae.tree.size).shape[1])


def _carried(program: PostureProgram, first: np.ndarray, base: Sequence[int]) -> np.ndarray:
    """Return the posture with the base where the joints take it on their way, or as nearly there as one is known.

    With the base elsewhere the joints have another way to go, and take it elsewhere: a fixed point, found by Anderson's
    method, since a light base goes almost as far as the arm.
    """
    dae, n, best = program.dae, program.dae.tree.size, first
    size, count = program.scale.unknowns[:n][base], len(program.target) - len(base)
    places, gaps, postures = [], [], []
    for _ in range(ROUNDS):
        place = program.target[count:]
        gap = carried_base(dae, program.near, program.start[:n], best[:n], base)[base] - place
        if not np.isfinite(gap).all():
            break
        places, gaps, postures = [*places, place / size], [*gaps, gap / size], [*postures, best]
        if np.max(np.abs(gaps[-1])) < SETTLED:
            break
        step = gaps[-1]
        if len(gaps) > 1:
            change, bent = np.diff(places, axis=0).T, np.diff(gaps, axis=0).T
            step = step - (change + bent) @ np.linalg.lstsq(bent, step, rcond=RESIDUE)[0]
        shift = np.concatenate([np.zeros(count), step * size])
        rows = program.target_rows.copy()
        rows[len(rows) - len(shift) :] += shift / program.scale.values
        program = replace(program, target=program.target + shift, target_rows=rows)
        there = program.solved(best)
        if there is None:
            break
        best = there[0]
    return postures[int(np.argmin([np.max(np.abs(gap)) for gap in gaps]))] if postures else first


def _from_the_nearest(program: PostureProgram, prescribed: Mapping[str, float], where: str) -> tuple[np.ndarray, float]:
    """Return a posture solved for from the nearest one in reach, with its distance.

    Raises
    ------
    ProblemError
        It misses the prescribed values.
    """
    nearest = program.nearest()
    if nearest is None:
        raise out_of_reach(where, prescribed, None, np.inf)
    s, short = nearest
    there = program.solved(s)
    if there is not None:
        return there
    if short < MET and program.is_reached(s):
        return s, 0.0
    others = [i for i in range(len(prescribed)) if i not in program.held]
    values = program.values(s)
    names = list(prescribed)
    reached = {names[i]: float(values[i]) for i in others}
    raise out_of_reach(where, prescribed, reached, float(np.linalg.norm((values - program.target)[others])))


def _refuse_weak_inputs(program: PostureProgram, prescribed: Mapping[str, float], where: str) -> None:
    """Refuse a posture that is in reach, but that the inputs are too weak to hold.

    Raises
    ------
    ProblemError
    """
    at, (low, high) = unknown_slices(program.dae).u, program.limits
    bounds = np.stack([low[at], high[at]], axis=1)
    if not np.isfinite(bounds).any():
        return
    free = [limit.copy() for limit in program.limits]
    free[0][at], free[1][at] = -np.inf, np.inf
    there = next(replace(program, limits=(free[0], free[1])).solutions(), None)
    if there is not None:
        raise too_weak_to_hold(program.dae, where, prescribed, there[0][at], bounds)
