"""Floating bases: coordinates that nothing holds, and that end where the conserved momentum takes them."""

from __future__ import annotations

from collections.abc import Collection

import casadi as ca
import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.dynamics.algorithms.kinematics import motions
from flexblocks.dynamics.algorithms.totals import totals
from flexblocks.dynamics.evaluation.body import Body
from flexblocks.statics.balance import motion, rest, unknown_vector
from flexblocks.statics.operating_point import OperatingPoint

from ...errors import ProblemError
from ..boundary import End

# Stiffness, damping or input of a coordinate below this share of the largest is rounding.
NOTHING = 1e-9
# A centre of mass that moves by less than this share of what single coordinates move it stays, up to rounding.
CENTRED = 1e-6


def open_base(dae: DAE, at: OperatingPoint, named: Collection[str]) -> tuple[int, ...]:
    """Return the coordinates of a floating base that no name fixes, by their positions in q.

    A base floats if its free motion or ball joint stands on the ground and no force acts on it there. Its momentum is
    conserved then, and its motion follows from that of the arm: to fix where it ends would overdetermine the motion.
    """
    return tuple(i for i in floating_base(dae, at) if dae.q_names[i] not in named)


def floating_base(dae: DAE, at: OperatingPoint) -> tuple[int, ...]:
    """Return the coordinates of a floating base, by their positions in q; none if a force acts on them."""
    floating = [i for body in dae.tree.charted if _stands_on_ground(dae, body) for i in sorted(body.share.used)]
    if not floating:
        return ()
    n = dae.tree.size
    _, dx, _, du = (value.full() for value in motion(dae)(at.x, at.z, at.u, at.p, 0.0, 0.0)[:4])
    at_rest = unknown_vector(dae, at.x, at.z, np.zeros(len(dae.tree.loops.multipliers)), at.u)
    stiffness = rest(dae)(at_rest, at.p)[1].full()[:n]
    for matrix in (stiffness, dx[:n, n : 2 * n], du[:n]):
        if np.abs(matrix[floating]).max(initial=0.0) > NOTHING * np.abs(matrix).max(initial=0.0):
            return ()
    return tuple(floating)


def check_momentum(dae: DAE, begin: End, end: End) -> None:
    """Refuse a motion from rest to rest in which a floating arm would move its centre of mass.

    Raises
    ------
    ProblemError
        The message says where the centre of mass is and where it would be.
    """
    if not (begin.is_known_rest and end.is_known_rest) or end.open:
        return
    floating = floating_base(dae, end.point)
    if not any(dae.x.units[i] == "m" for i in floating):
        return
    (start, _), (goal, slopes) = (_centre(dae, boundary.point) for boundary in (begin, end))
    # What each coordinate moves it by, in metres: the rest of all these is rounding, or a motion.
    shares = slopes * (end.point.x[: dae.tree.size] - begin.point.x[: dae.tree.size])
    if np.linalg.norm(goal - start) <= CENTRED * np.abs(shares).sum():
        return
    names = ", ".join(dae.q_names[i] for i in floating)
    raise ProblemError(
        f"plan: goal: momentum forbids it: nothing pushes the arm from outside, so that its centre of mass stays at "
        f"{np.array2string(start, precision=4)} m; at the goal it would be at {np.array2string(goal, precision=4)} m. "
        f"Leave those of {names} out of the goal that follow from the rest."
    )


def _centre(dae: DAE, point: OperatingPoint) -> tuple[np.ndarray, np.ndarray]:
    """Return the centre of mass (3,) [m] at a point of rest, and its derivatives (3, n) in the coordinates."""
    v = ca.SX(dae.tree.size, 1)
    centre = totals(dae.tree, motions(dae.tree, dae.q, v), dae.q, v)[1:4]
    function = ca.Function("centre", [*dae.posture_symbols], [centre, ca.jacobian(centre, dae.q)])
    place, slopes = function(*dae.posture(point.x, point.z, point.p))
    return place.full()[:, 0], slopes.full()


def _stands_on_ground(dae: DAE, body: Body) -> bool:
    """Whether nothing moves between the ground and the body."""
    while body.parent is not None:
        body = dae.tree.bodies[body.parent]
        if body.share.shape[0]:
            return False
    return True
