"""Tips of beams that closed loops hold at an angle, where modes of the assumed-modes method hold none."""

from __future__ import annotations

from collections.abc import Iterator

import casadi as ca
import numpy as np

from flexblocks.beam.assumed_modes import AssumedModes
from flexblocks.constraints.deformation import deforming
from flexblocks.constraints.loop_equations import closure_equations
from flexblocks.constraints.loop_newton import RANK
from flexblocks.dae.dae import DAE
from flexblocks.dynamics.algorithms.kinematics import motions, outlet_motion
from flexblocks.dynamics.tree.cut_joints import Closure
from flexblocks.interfaces.frame import skew

# Of a turn of the tip, the share that no joint of the loop takes up, from which on the loop holds it at an angle.
HELD = 0.1
TURNS = {"y": (0.0, 0.0, 1.0), "z": (0.0, 1.0, 0.0)}  # the axis about which bending along this one turns the tip


def remarks_on_held_tips(dae: DAE) -> Iterator[str]:
    """Yield a remark on each beam of assumed modes whose tip a loop holds at an angle.

    Modes of a free tip, and of one with a body, have next to no curvature there, and so no bending moment: what the
    loop exerts bends them by too little, by a share of 1/n and more with n modes. A hinge between the tip and the cut
    takes the moment up.
    """
    loops = [_around(dae, closure) for closure in dae.tree.loops.closures]
    for index in dict.fromkeys(index for loop in loops for index, _ in loop):
        block = dae.tree.bodies[index].block.nominal
        chosen = getattr(block, "discretization", None)
        if not isinstance(chosen, AssumedModes) or chosen.tip == "pinned":
            continue
        turned = [loop.get((index, "frame_b"), 0) for loop in loops]
        if any(turned) and any(_is_held(dae, turned, index, TURNS[axis]) for axis in block.planes):
            yield (
                f"{block.where}: {chosen!r} has no bending moment at the tip, which a loop holds at an angle here: "
                f"deflections are off by a share of 1/{chosen.n} and more. Take FiniteElements(n) or StrainModes(n)."
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


def _is_held(dae: DAE, turned: list[int], index: int, axis: tuple[float, float, float]) -> bool:
    """Whether joints of the loops, at the start, leave most of a turn of a beam's tip about its `axis` to no one.

    `turned` is for each cut the side that turns with the tip: 1 its second, -1 its first, 0 none or both.
    """
    tree, equations = dae.tree, closure_equations(dae)
    ends = [place for closure in tree.loops.closures for place in (closure.first, closure.second)]
    (R_tip, r_tip), *poses = _poses(dae, [(index, "frame_b"), *ends])
    turn = ca.DM(skew(ca.DM(R_tip @ axis))).full()
    columns = []
    for sign, (R, _), (R_second, r_second) in zip(turned, poses[::2], poses[1::2], strict=True):
        # As the mismatch: shift in lengths, then the columns of the relative orientation, from the first outlet.
        moved = R.T @ turn @ np.column_stack([(r_second - r_tip) / equations.length, R_second])
        columns.append(sign * moved.ravel(order="F"))
    column = np.concatenate(columns)
    slopes = equations.mismatch(dae.x.start[: tree.size], dae.p.start)[1].full() * equations.unit
    joints = slopes[:, ~deforming(dae)]
    taken_up = joints @ np.linalg.lstsq(joints, column, rcond=RANK)[0] if joints.size else 0.0 * column
    return bool(np.linalg.norm(column - taken_up) > HELD * np.linalg.norm(column))


def _poses(dae: DAE, places: list[tuple[int, str]]) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return orientation (3, 3) and origin (3,) of outlets at the start."""
    still = ca.SX(dae.tree.size, 1)
    inlets = motions(dae.tree, dae.q, still)
    found = [outlet_motion(dae.tree, inlets, *place, dae.q, still) for place in places]
    parts = [ca.densify(part) for R, r, _ in found for part in (R, r)]
    at = dae.posture(dae.x.start, dae.z.start, dae.p.start)
    values = [value.full() for value in ca.Function("poses", [*dae.posture_symbols], parts).call([*at])]
    return [(R, r.ravel()) for R, r in zip(values[::2], values[1::2], strict=True)]
