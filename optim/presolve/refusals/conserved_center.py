"""Centre of mass of an arm that nothing pushes, and the momentum of that: they are what they were at the start."""

from __future__ import annotations

from numbers import Real

import casadi as ca
import numpy as np

from flexblocks.blocks.bodies.total_momentum import TotalMomentum
from flexblocks.dae.dae import DAE
from flexblocks.dynamics.algorithms.kinematics import motions
from flexblocks.dynamics.algorithms.totals import totals
from flexblocks.errors import listing
from flexblocks.statics.operating_point import OperatingPoint

from ...errors import ProblemError
from ...tolerances import RESIDUE
from ..boundary import End
from ..equilibrium import turning
from ..floating_base import floating_base, mass_of, sizes
from ..phase_transcription import PhaseTranscription

TYPED = 1e-3  # of a distance, an attitude [rad] or a rate: goals are typed with a few digits
ATTITUDES = 8  # of the base, of which four determine a sphere
FORBIDDEN = "plan: goal: momentum forbids it: nothing pushes the arm from outside, so that"


def check_center(dae: DAE, begin: End, end: End, floating: list[int]) -> None:
    """Refuse a goal at which the centre of mass would be elsewhere than at the start, both at rest."""
    (start, _), (goal, slopes) = (_center_of_mass(dae, boundary.point) for boundary in (begin, end))
    # What each coordinate moves it by, in metres: the rest of all these is rounding, or a motion.
    shares = slopes * (end.point.x[: dae.tree.size] - begin.point.x[: dae.tree.size])
    # Along an axis on which a slide bears the arm, the bearing pushes.
    moved = _pushed_directions(slopes[:, floating]) @ (goal - start)
    if np.linalg.norm(moved) <= RESIDUE * np.abs(shares).sum():
        return
    here, there = (np.array2string(place, precision=4) for place in (start, start + moved))
    raise ProblemError(
        f"{FORBIDDEN} its centre of mass stays at {here} m; at the goal it would be at {there} m. Leave those of "
        f"{', '.join(dae.q_names[i] for i in floating if i not in end.open)} out of the goal that follow from the rest."
    )


def check_sphere(dae: DAE, begin: End, end: End, floating: list[int]) -> None:
    """Refuse a place of the base from which no attitude brings the centre of mass back to where it was.

    As the base turns about its own frame the centre of mass stays on a sphere, whose centre and radius follow from a
    few attitudes.
    """
    named = [i for i in floating if i not in end.open and not turning(dae)[i]]
    rotating = [i for i in floating if turning(dae)[i]]
    start, slopes = _center_of_mass(dae, begin.point)
    moved = slopes[:, named]
    if not named or not rotating or np.linalg.matrix_rank(moved) < len(named):
        return
    directions, function, places = moved / np.linalg.norm(moved, axis=0), _center(dae), []
    attitudes = np.random.default_rng(0).uniform(-2.0, 2.0, (ATTITUDES, len(rotating)))
    for turned in (np.zeros(len(rotating)), *attitudes):
        x = end.point.x.copy()
        x[rotating] += turned
        places.append(function(*dae.posture(x, end.point.z, end.point.p))[0].full()[:, 0])
    points = np.array(places) - places[0]
    # |c - m|^2 = r^2 for all of them: 2 c m = |c|^2, as the first one is the origin
    middle = np.linalg.lstsq(2 * points[1:], np.sum(points[1:] ** 2, axis=1), rcond=RESIDUE)[0]
    radius, away = (float(np.linalg.norm(each)) for each in (middle, (start - places[0] - middle) @ directions))
    if away - radius > TYPED * (radius + away):
        values = listing(f"{dae.q_names[i]} = {end.point.x[i]:.4g}" for i in named)
        raise ProblemError(
            f"{FORBIDDEN} its centre of mass stays where it is; with {values} m it would be {away - radius:.4g} m off "
            f"at least, in whatever attitude. Leave {', '.join(dae.q_names[i] for i in named)} out of the goal."
        )


def check_totals(t: PhaseTranscription) -> None:
    """Refuse a centre of mass or a momentum that a goal names and a floating arm cannot have there."""
    dae, n, start = t.dae, t.dae.tree.size, t.start
    sensors = {body.name for body in dae.tree.bodies if isinstance(body.block, TotalMomentum)}
    totals_of = {f"{sensor}.{kind}_{axis}" for sensor in sensors for kind in ("center", "momentum") for axis in "xyz"}
    goal = {name: value for name, value in (t.phase.goal or {}).items() if name in totals_of}
    floating = list(floating_base(dae, start)) if goal else []
    if not floating:
        return
    place, slopes = _center_of_mass(dae, start)
    free, rate = _pushed_directions(slopes[:, floating]), slopes @ start.x[n : 2 * n]
    M = mass_of(dae, start)(start.x[:n])
    size = max(sizes(dae, M)[floating])
    duration, wrong = float(t.phase.duration) if t.phase.is_timed else None, []
    for name, value in goal.items():
        sensor, _, what = name.rpartition(".")
        quantity, axis = what.split("_")
        i = "xyz".index(axis)
        if not isinstance(value, Real) or free[i, i] < 1 - RESIDUE:  # something holds it along that axis
            continue
        if quantity == "center" and duration is None and rate[i]:
            continue
        if quantity == "center":
            kept, scale = place[i] + rate[i] * (duration or 0.0), size
        else:
            kept = rate[i] * float(start[f"{sensor}.mass"])
            scale = max(abs(kept), abs(value))
        if abs(value - kept) > RESIDUE * scale:
            wrong.append(f"{name} = {kept:.6g}, not {value:.6g}")
    if wrong:
        raise ProblemError(f"{FORBIDDEN} it arrives with {listing(wrong)}. Leave these out of the goal.")


def _pushed_directions(slopes: np.ndarray) -> np.ndarray:
    """Return the projection (3, 3) on the directions in which the base's coordinates move the centre of mass."""
    directions, amounts, _ = np.linalg.svd(slopes, full_matrices=False)
    kept = directions[:, amounts > RESIDUE * amounts.max(initial=0.0)]
    return kept @ kept.T


def _center_of_mass(dae: DAE, point: OperatingPoint) -> tuple[np.ndarray, np.ndarray]:
    """Return the centre of mass (3,) [m] at a point of rest, and its derivatives (3, n) in the coordinates."""
    place, slopes = _center(dae)(*dae.posture(point.x, point.z, point.p))
    return place.full()[:, 0], slopes.full()


def _center(dae: DAE) -> ca.Function:
    """Return the function of a posture to the centre of mass and its derivatives."""
    v = ca.SX(dae.tree.size, 1)
    center = totals(dae.tree, motions(dae.tree, dae.q, v), dae.q, v)[1:4]
    return ca.Function("center", [*dae.posture_symbols], [center, ca.jacobian(center, dae.q)])
