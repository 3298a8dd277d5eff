"""Tips of beams that closed loops hold: at an angle, where assumed modes hold none, or at a deflection, where a beam
of one curvature has none apart from its turn."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import casadi as ca
import numpy as np

from flexblocks.beam.assumed_modes import AssumedModes
from flexblocks.beam.discretization import Discretization
from flexblocks.beam.strain_modes import StrainModes
from flexblocks.constraints.deformation import deforming
from flexblocks.constraints.loop_equations import closure_equations
from flexblocks.constraints.loop_newton import RANK
from flexblocks.dae.dae import DAE
from flexblocks.dynamics.algorithms.kinematics import motions, outlet_motion
from flexblocks.dynamics.tree.cut_joints import Closure
from flexblocks.errors import listing
from flexblocks.interfaces.frame import skew

# Of a turn of the tip, the share that no joint of the loop takes up, from which on the loop holds it at an angle.
HELD = 0.1
# Of a shift of the tip, the share that joints leave and that is more than rounding and the error of closing.
LEFT = 1e-6
DIRECTIONS = {"y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}  # in which the tip deflects
TURNS = {"y": (0.0, 0.0, 1.0), "z": (0.0, 1.0, 0.0)}  # the axis about which bending along this one turns the tip


def remarks_on_held_tips(dae: DAE) -> Iterator[str]:
    """Yield a remark on each beam that cannot bear what a loop exerts on its tip, as its few functions bend it.

    Modes of a free tip, and of one with a body, have next to no curvature there, and so no bending moment: what the
    loop exerts bends them by too little, by a share of 1/n and more with n modes. A hinge between the tip and the cut
    takes the moment up.

    A beam of one curvature deflects as it turns: that is the shape under a moment, and a force across it finds it too
    stiff, of the deflection Q l^3/(3 EI) by a quarter, and where its turn is held as well it does not give at all. If a
    loop exerts such a force, since no joint takes the deflection up, what bends the beam is the closing of the loop.
    """
    loops = [_around(dae, closure) for closure in dae.tree.loops.closures]
    for index in dict.fromkeys(index for loop in loops for index, _ in loop):
        block = dae.tree.bodies[index].block.nominal
        chosen = getattr(block, "discretization", None)
        sides = [loop.get((index, "frame_b"), 0) for loop in loops]
        if not isinstance(chosen, Discretization) or not any(sides):
            continue
        if isinstance(chosen, AssumedModes) and chosen.tip != "pinned":
            if any(_left(dae, sides, index, turn=TURNS[axis]) > HELD for axis in block.planes):
                yield (
                    f"{block.where}: {chosen!r} has no bending moment at the tip, which a loop holds at an angle here: "
                    f"deflections are off by a share of 1/{chosen.n} and more. Take FiniteElements(n) or "
                    "StrainModes(n)."
                )
        elif isinstance(chosen, StrainModes) and chosen.size == 1:
            held = [axis for axis in block.planes if _left(dae, sides, index, shift=DIRECTIONS[axis]) > LEFT]
            if held:
                yield (
                    f"{block.where}: {chosen!r} has one curvature along {listing(held)}, so that its tip deflects "
                    "only as it turns, and here a loop exerts forces across it: it locks, and the arm is too stiff by "
                    f"tens of per cent. Take {replace(chosen, n=2)!r}, which bears forces and moments at the tip."
                )


def _around(dae: DAE, closure: Closure) -> dict[tuple[int, str], int]:
    """Return the outlets (body, name) on the way around the loop that a cut closes: 1 on its second side, else -1."""
    sides: list[dict[tuple[int, str], int]] = []
    for sign, end in ((-1, closure.first), (1, closure.second)):
        side, place = {end: sign}, end
        while (body := dae.tree.bodies[place[0]]).parent is not None and body.outlet is not None:
            place = body.parent, body.outlet
            side[place] = sign
        sides.append(side)
    return {place: sign for side in sides for place, sign in side.items() if not all(place in each for each in sides)}


def _left(
    dae: DAE,
    sides: list[int],
    index: int,
    turn: tuple[float, float, float] | None = None,
    shift: tuple[float, float, float] | None = None,
) -> float:
    """Return the share of a turn about an axis, or of a shift, of a beam's tip that no joint of the loops takes up.

    At the start, in the axes of the tip. `sides` is for each cut the side that moves with the tip: 1 its second, -1 its
    first, 0 none or both.
    """
    tree, equations = dae.tree, closure_equations(dae)
    ends = [place for closure in tree.loops.closures for place in (closure.first, closure.second)]
    (R_tip, r_tip), *poses = _poses(dae, [(index, "frame_b"), *ends])
    columns = []
    for sign, (R, _), (R_second, r_second) in zip(sides, poses[::2], poses[1::2], strict=True):
        # As the mismatch: shift in lengths, then the columns of the relative orientation, from the first outlet.
        if turn is not None:
            arm = np.column_stack([(r_second - r_tip) / equations.length, R_second])
            moved = R.T @ ca.DM(skew(ca.DM(R_tip @ turn))).full() @ arm
        else:
            moved = np.column_stack([R.T @ R_tip @ np.array(shift), np.zeros((3, 3))])
        columns.append(sign * moved.ravel(order="F"))
    column = np.concatenate(columns)
    slopes = equations.mismatch(dae.x.start[: tree.size], dae.p.start)[1].full() * equations.unit
    joints = slopes[:, ~deforming(dae)]
    taken_up = joints @ np.linalg.lstsq(joints, column, rcond=RANK)[0] if joints.size else 0.0 * column
    return float(np.linalg.norm(column - taken_up) / np.linalg.norm(column))


def _poses(dae: DAE, places: list[tuple[int, str]]) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return orientation (3, 3) and origin (3,) of outlets at the start."""
    still = ca.SX(dae.tree.size, 1)
    inlets = motions(dae.tree, dae.q, still)
    found = [outlet_motion(dae.tree, inlets, *place, dae.q, still) for place in places]
    parts = [ca.densify(part) for R, r, _ in found for part in (R, r)]
    at = dae.posture(dae.x.start, dae.z.start, dae.p.start)
    values = [value.full() for value in ca.Function("poses", [*dae.posture_symbols], parts).call([*at])]
    return [(R, r.ravel()) for R, r in zip(values[::2], values[1::2], strict=True)]
