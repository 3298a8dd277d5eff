"""Conserved momentum: motions of a floating arm that it forbids, as far as start and goal alone tell."""

from __future__ import annotations

from collections.abc import Mapping

import casadi as ca
import numpy as np

from flexblocks.constraints.deformation import deforming
from flexblocks.dae.dae import DAE
from flexblocks.dynamics.algorithms.kinematics import motions
from flexblocks.dynamics.algorithms.totals import totals
from flexblocks.errors import listing
from flexblocks.statics.operating_point import OperatingPoint

from ...errors import ProblemError
from ..boundary import End
from .base_motion import FAR, carried_base, mass_of, still_coordinates
from .open_base import at_rest, floating_base, gyration

# A centre of mass that moves by less than this share of what single coordinates move it stays, up to rounding. Likewise
# a momentum is none that is less than this share of what single rates make it.
CENTERD = 1e-6
# Attitudes that are the same: goals are typed with a few digits; and on two ways.
TYPED, SAME = 1e-3, 1e-5
ATTITUDES = 8  # of the base, of which four determine a sphere
DETOURS = 2  # random ways, which end in other attitudes wherever the way matters


def check_momentum(dae: DAE, begin: End, end: End) -> None:
    """Refuse a motion of a floating arm that its momentum forbids, as far as both ends tell.

    Raises
    ------
    ProblemError
        The arm is at rest at one end and has a momentum at the other; its centre of mass would move; or its attitude
        would, although that of joints that move so is known.
    """
    if begin.kind != "fixed" or end.kind != "fixed":
        return
    floating = floating_base(dae, end.point)
    if not floating:
        return
    follows = set(end.open) - still_coordinates(dae, begin.point, end.open)
    if begin.moving or end.moving:
        if not follows:
            _check_rates(dae, begin, end, list(floating))
        return
    if any(dae.x.units[i] == "m" for i in floating):
        (_check_sphere if follows else _check_center)(dae, begin, end, list(floating))
    _check_attitude(dae, begin, end, list(floating))


def check_named_rates(dae: DAE, begin: End, end: End, goal: Mapping[str, float]) -> None:
    """Refuse rates of a floating base at a goal with joints at rest that are not those of the momentum at the start.

    With its joints at rest the arm is one body: without a moment of momentum it goes on as its centre of mass does.

    Parameters
    ----------
    goal : dict of float
        What is prescribed there, by name.

    Raises
    ------
    ProblemError
    """
    n, names = dae.tree.size, dae.q_names
    floating = list(floating_base(dae, at_rest(dae, end.point)))
    named = {i: goal[f"der({names[i]})"] for i in floating if f"der({names[i]})" in goal}
    if not end.moving:  # what is named of it is at rest
        named |= {i: 0.0 for i in floating if names[i] in goal}
    if not named or begin.kind != "fixed":
        return
    M, v = mass_of(dae, begin.point)(begin.point.x[:n]), begin.point.x[n : 2 * n]
    kept = np.zeros(n)
    kept[floating] = np.linalg.solve(M[floating][:, floating], M[floating] @ v)
    turns = np.array([unit == "rad" for unit in dae.x.units[:n]])
    size = np.array([1.0 if turns[i] else gyration(M, turns, i) for i in range(n)])
    largest = np.max(np.abs(kept / size), initial=0.0)
    joints = np.setdiff1d(np.arange(n), floating)
    moving = np.max(np.abs(end.point.x[n : 2 * n] / size)[joints], initial=0.0)
    asked = max((abs(rate) / size[i] for i, rate in named.items()), default=0.0)
    turning = np.max(np.abs((kept / size)[turns]), initial=0.0)
    if turning > CENTERD * largest or moving > CENTERD * max(largest, asked):
        return
    wrong = [i for i, rate in named.items() if abs(rate - kept[i]) / size[i] > TYPED * max(largest, asked)]
    if wrong:
        rates = listing(f"der({names[i]}) = {kept[i]:.4g}, not {named[i]:.4g}" for i in wrong)
        raise ProblemError(
            f"plan: goal: momentum forbids it: nothing pushes the arm from outside, and with its joints at rest it has "
            f"{rates}. Leave the rates of {_names(dae, floating)} out of the goal."
        )


def _check_rates(dae: DAE, begin: End, end: End, floating: list[int]) -> None:
    n = dae.tree.size
    amounts = []
    for point in (begin.point, end.point):
        terms = mass_of(dae, point)(point.x[:n])[floating] * point.x[n : 2 * n]
        amounts.append(bool(np.any(np.abs(terms.sum(axis=1)) > CENTERD * np.abs(terms).sum(axis=1))))
    if amounts[0] == amounts[1]:
        return
    moving, still = ("start", "goal") if amounts[0] else ("goal", "start")
    raise ProblemError(
        f"plan: goal: momentum forbids it: nothing pushes the arm from outside, and it has a momentum at the {moving} "
        f"and none at the {still}. Leave {_names(dae, floating)} out of the goal, or give rates without momentum."
    )


def _check_center(dae: DAE, begin: End, end: End, floating: list[int]) -> None:
    (start, _), (goal, slopes) = (center_of_mass(dae, boundary.point) for boundary in (begin, end))
    # What each coordinate moves it by, in metres: the rest of all these is rounding, or a motion.
    shares = slopes * (end.point.x[: dae.tree.size] - begin.point.x[: dae.tree.size])
    # Along an axis on which a slide bears the arm, the bearing pushes.
    moved = pushed_directions(slopes[:, floating]) @ (goal - start)
    if np.linalg.norm(moved) <= CENTERD * np.abs(shares).sum():
        return
    here, there = (np.array2string(place, precision=4) for place in (start, start + moved))
    raise ProblemError(
        f"plan: goal: momentum forbids it: nothing pushes the arm from outside, so that its centre of mass stays at "
        f"{here} m; at the goal it would be at {there} m. "
        f"Leave those of {_names(dae, [i for i in floating if i not in end.open])} out of the goal that follow from "
        "the rest."
    )


def _check_sphere(dae: DAE, begin: End, end: End, floating: list[int]) -> None:
    """Refuse a place of the base from which no attitude brings the centre of mass back to where it was.

    As the base turns about its own frame the centre of mass stays on a sphere, whose centre and radius follow from a
    few attitudes.
    """
    _n, kept = dae.tree.size, end.point.x
    named = [i for i in floating if i not in end.open and dae.x.units[i] == "m"]
    turning = [i for i in floating if dae.x.units[i] == "rad"]
    if not named or not turning:
        return
    (start, slopes), function = center_of_mass(dae, begin.point), _center(dae)
    moved = slopes[:, named]
    if np.linalg.matrix_rank(moved) < len(named):
        return
    directions = moved / np.linalg.norm(moved, axis=0)
    attitudes = np.random.default_rng(0).uniform(-2.0, 2.0, (ATTITUDES, len(turning)))
    places = []
    for turned in (np.zeros(len(turning)), *attitudes):
        x = kept.copy()
        x[turning] += turned
        places.append(function(*dae.posture(x, end.point.z, end.point.p))[0].full()[:, 0])
    points = np.array(places) - places[0]
    # |c - m|^2 = r^2 for all of them: 2 c m = |c|^2, as the first one is the origin
    middle = np.linalg.lstsq(2 * points[1:], np.sum(points[1:] ** 2, axis=1), rcond=CENTERD)[0]
    radius = float(np.linalg.norm(middle))
    away = (start - places[0] - middle) @ directions
    short = float(np.linalg.norm(away)) - radius
    if short > TYPED * (radius + float(np.linalg.norm(away))):
        values = listing(f"{dae.q_names[i]} = {end.point.x[i]:.4g}" for i in named)
        raise ProblemError(
            f"plan: goal: momentum forbids it: nothing pushes the arm from outside, so that its centre of mass stays "
            f"where it is; with {values} m it would be {short:.4g} m off at least, in whatever attitude. Leave "
            f"{_names(dae, named)} out of the goal."
        )


def pushed_directions(slopes: np.ndarray) -> np.ndarray:
    """Return the projection (3, 3) on the directions in which the base's coordinates move the centre of mass."""
    directions, sizes, _ = np.linalg.svd(slopes, full_matrices=False)
    kept = directions[:, sizes > CENTERD * sizes.max(initial=0.0)]
    return kept @ kept.T


def _check_attitude(dae: DAE, begin: End, end: End, floating: list[int]) -> None:
    """Refuse an attitude that no motion of the joints makes, where it does not depend on the way of the joints."""
    turning = [i for i in floating if dae.x.units[i] == "rad"]
    named = [i for i in turning if i not in end.open]
    n = dae.tree.size
    joints = np.setdiff1d(np.arange(n), floating)
    # Of beams that swing on the way nothing is known; forces close loops on any way.
    if not named or dae.tree.loops.closures or (len(joints) > 1 and deforming(dae)[joints].any()):
        return
    attitudes = [
        carried_base(dae, begin.point, begin.point.x[:n], end.point.x[:n], floating, detour)
        for detour in range(DETOURS + 1)[: len(joints) or 1]
    ]
    if any(np.max(np.abs(each[turning])) > FAR or not np.isfinite(each).all() for each in attitudes):
        return
    if any(np.max(np.abs(each - attitudes[0])[turning]) > SAME for each in attitudes):
        return
    goal = end.point.x
    missed = [i for i in named if abs(attitudes[0][i] - goal[i]) > TYPED]
    if missed:
        values = listing(f"{dae.q_names[i]} = {attitudes[0][i]:.4g}, not {goal[i]:.4g} rad" for i in missed)
        raise ProblemError(
            f"plan: goal: momentum forbids it: nothing turns the arm from outside, and from rest to rest its joints "
            f"turn it to {values}, whatever their way. Leave {_names(dae, turning)} out of the goal."
        )


def _names(dae: DAE, columns: list[int]) -> str:
    return ", ".join(dae.q_names[i] for i in columns)


def center_of_mass(dae: DAE, point: OperatingPoint) -> tuple[np.ndarray, np.ndarray]:
    """Return the centre of mass (3,) [m] at a point of rest, and its derivatives (3, n) in the coordinates."""
    place, slopes = _center(dae)(*dae.posture(point.x, point.z, point.p))
    return place.full()[:, 0], slopes.full()


def _center(dae: DAE) -> ca.Function:
    """Return the function of a posture to the centre of mass and its derivatives."""
    v = ca.SX(dae.tree.size, 1)
    center = totals(dae.tree, motions(dae.tree, dae.q, v), dae.q, v)[1:4]
    return ca.Function("center", [*dae.posture_symbols], [center, ca.jacobian(center, dae.q)])
