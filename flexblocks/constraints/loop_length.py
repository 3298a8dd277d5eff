"""The characteristic length of an arm's loops, in which positions of loops of any size are compared."""

from __future__ import annotations

from collections.abc import Iterator

import casadi as ca
import numpy as np

from flexblocks.constraints.deformation import deforming
from flexblocks.constraints.dependent_variables import of_coordinates
from flexblocks.dae.dae import DAE
from flexblocks.dynamics.algorithms.kinematics import motions, outlet_motion

ROUNDING = 1e-9  # of the loops' size: levers below it are none, as that of a hinge at the cut


def loop_length(dae: DAE, shifts: ca.SX) -> float:
    """Return the longest lever arm [m] by which a joint moves a cut at the start, or what a slide is out there.

    Joints alone, so that all discretisations of a beam see the same length. Where no joint has a lever, as in a frame
    of clamped beams, it is how far the loop's blocks are from one another. `shifts` (3 for each cut) are the positions
    of the second outlets in the axes of the first.
    """
    units, start = dae.x.units[: dae.tree.size], dae.x.start[: dae.tree.size]
    loops = list(_loops(dae))
    places = [r for loop in loops for r in loop]
    results = [ca.jacobian(shifts, dae.q), ca.densify(ca.vertcat(*places, ca.SX(0, 1)))]
    levers, origins = (value.full() for value in of_coordinates(dae, "levers", results)(start, dae.p.start))
    turning, joints = np.array([unit != "m" for unit in units], dtype=bool), ~deforming(dae)
    lever = np.max(np.abs(levers[:, turning & joints]), initial=0.0)
    out = np.max(np.abs(start[~turning & joints]), initial=0.0)
    of_loops = np.split(origins.reshape(-1, 3), np.cumsum([len(loop) for loop in loops])[:-1])
    size = max((float(np.max(np.ptp(of_loop, axis=0))) for of_loop in of_loops), default=0.0)
    length = float(max(lever, out))
    return length if length > ROUNDING * size else size or 1.0


def _loops(dae: DAE) -> Iterator[list[ca.SX]]:
    """Yield for each cut the origins (3) of the blocks of its loop, and of the outlets that are joined."""
    bodies, still = dae.tree.bodies, ca.SX(dae.tree.size, 1)
    inlets = motions(dae.tree, dae.q, still)
    for closure in dae.tree.loops.closures:
        sides = []
        for index, _ in (closure.first, closure.second):
            side: set[int] = set()
            body: int | None = index
            while body is not None:
                side.add(body)
                body = bodies[body].parent
            sides.append(side)
        ends = [outlet_motion(dae.tree, inlets, *end, dae.q, still) for end in (closure.first, closure.second)]
        yield [ca.densify(r) for _, r, _ in (*(inlets[i] for i in sorted(sides[0] ^ sides[1])), *ends)]
