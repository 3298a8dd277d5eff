"""Inverse statics: static equilibrium with points of the arm at prescribed positions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.statics.balance import unknown_slices, unknown_vector
from flexblocks.statics.operating_point import OperatingPoint
from flexblocks.validity.large_deflections import large_deflections

from .equilibrium import slow_motions
from .infeasible_goal import out_of_reach
from .postures.posture_program import REACHED, PostureProgram, posture_program
from .postures.posture_starts import unwound

# A posture with joints turned back by whole turns is taken if it is no farther than this many times, in the metric
# of the mass matrix: a wrist hardly counts there (1.2 times), a joint that swings the arm the other way does (17).
ALIKE = 2.0
SAME = 1e-9  # of distances: postures that are one

Clear = Callable[[OperatingPoint], bool]


@dataclass(frozen=True, eq=False)
class Posture:
    """A posture of rest.

    Attributes
    ----------
    point : OperatingPoint
    freedom : int
        Dimension of the self-motion manifold: in how many ways the coordinates can change with the prescribed values
        kept.
    moving : bool
        Whether the point has rates: it is then in motion through that posture.
    """

    point: OperatingPoint
    freedom: int
    moving: bool = False


def posture(
    dae: DAE,
    prescribed: Mapping[str, float],
    near: OperatingPoint,
    bounds: np.ndarray,
    input_bounds: np.ndarray,
    where: str,
    clear: Clear | None = None,
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
    bounds : ndarray (nx, 2)
        Limits of the states.
    input_bounds : ndarray (nu, 2)
        Limits of the inputs that hold the arm.
    where : str
        For messages.
    clear : callable, optional
        Whether a posture is admissible otherwise, as clear of obstacles; of those that are, the nearest is taken. If
        none is, the nearest of all.

    Raises
    ------
    ProblemError
        There is no such equilibrium; the message says how far it is missed.
    """
    index = unknown_slices(dae)
    free_z, free_forces = (np.tile([-np.inf, np.inf], (g.stop - g.start, 1)) for g in (index.z, index.multipliers))
    low, high = unknown_vector(dae, bounds, free_z, free_forces, input_bounds).T
    program = posture_program(dae, prescribed, near, (low, high))
    # Multistart: the best of all local solutions
    postures = _distinct(program.solutions() or [_from_the_nearest(program, prescribed, where)])
    best, least = _admissible(program, postures, clear)
    # The metric of one posture is blind to whole turns.
    for s in unwound(dae, near, program.start, best):
        there = program.solved(s) if np.all((s >= low) & (s <= high)) else None
        if there is not None and there[1] < ALIKE * least:
            best = there[0]
            break
    J = np.vstack([part.full() for part in program.equations(best)[2:]])
    return Posture(_point(program, best), slow_motions(J, dae.tree.size).shape[1])


def _admissible(
    program: PostureProgram, postures: list[tuple[np.ndarray, float]], clear: Clear | None
) -> tuple[np.ndarray, float]:
    """Return the first posture that is clear and bends beams no farther than their theory goes; if need be, the first
    that is clear, or the first.

    Linear beams that are bent by a tenth of their length balance in postures that no arm has, with much force and all
    over the linkage; a boom of 30 m had one 1 % nearer than the posture that was meant.
    """
    admissible = [one for one in postures if clear(_point(program, one[0]))] if clear else postures
    if len(admissible) < 2:
        return (admissible or postures)[0]
    return next((one for one in admissible if not _bent_too_far(program, one[0])), admissible[0])


def _bent_too_far(program: PostureProgram, s: np.ndarray) -> bool:
    """Return whether beams leave the range of their theory."""
    at = _point(program, s)
    return bool(large_deflections(program.dae, at.x[None], at.z[None], at.u[None], at.p, at_rest=True))


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
    if short < REACHED and program.is_reached(s):
        return s, 0.0
    others = [i for i in range(len(prescribed)) if i not in program.held]
    values = program.values(s)
    names = list(prescribed)
    reached = {names[i]: float(values[i]) for i in others}
    raise out_of_reach(where, prescribed, reached, float(np.linalg.norm((values - program.target)[others])))


def _distinct(postures: list[tuple[np.ndarray, float]]) -> list[tuple[np.ndarray, float]]:
    """Return the postures by their distances, the nearest first, each once."""
    kept: list[tuple[np.ndarray, float]] = []
    for one in sorted(postures, key=lambda one: one[1]):
        if not kept or one[1] - kept[-1][1] > SAME * max(1.0, kept[-1][1]):
            kept.append(one)
    return kept


def _point(program: PostureProgram, s: np.ndarray) -> OperatingPoint:
    """Return the operating point with these unknowns of statics."""
    dae, index = program.dae, unknown_slices(program.dae)
    q = s[index.q]
    return OperatingPoint(
        states=dae.x.names,
        algebraics=dae.z.names,
        inputs=dae.u.names,
        parameters=dae.p.names,
        x=np.concatenate([q, np.zeros_like(q), s[index.w]]),
        z=s[index.z],
        u=s[index.u],
        p=program.near.p,
        residual=program.equations(s)[0].full().ravel()[: index.z.stop],
        dae=dae,
    )
