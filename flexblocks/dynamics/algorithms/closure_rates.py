"""Closures of kinematic loops with their rates, from the motions of the two outlets, and their forces as wrenches."""

from __future__ import annotations

from dataclasses import dataclass, replace

import casadi as ca

from flexblocks.dynamics.algorithms.kinematics import NodeWrenches
from flexblocks.dynamics.algorithms.relative_motions import RelativeMotions
from flexblocks.dynamics.tree.cut_joints import ROWS
from flexblocks.dynamics.tree.tree import Tree
from flexblocks.interfaces.frame import skew


@dataclass(frozen=True, eq=False)
class ClosureMotion:
    """Motion of the closures.

    Attributes
    ----------
    residual : SX (m, 1)
        See `flexblocks.dynamics.algorithms.loop_closure.closure_residual`.
    rate : SX (m, 1)
        Its time derivative J v.
    forces : NodeWrenches
        The wrenches of the multipliers on the nodes, J' lambda.
    """

    residual: ca.SX
    rate: ca.SX
    forces: NodeWrenches


def closure_motion(tree: Tree, q: ca.SX, v: ca.SX, multipliers: ca.SX) -> ClosureMotion:
    """Return the closures, their rates, and the wrenches of these multipliers (m)."""
    sweep, residuals, rates = RelativeMotions(tree, q, v), [ca.SX(0, 1)], [ca.SX(0, 1)]
    wrench, first = [ca.SX(6, 1) for _ in sweep.nodes], 0
    for closure in tree.loops.closures:
        nodes, rows = tree.nodes_at_cut(closure), list(closure.rows)
        (R, r, omega, velocity), (R_second, r_second, omega_second, velocity_second) = sweep.between(nodes)
        shift, turn = ca.sparsify(R.T @ (r_second - r)), ca.sparsify(R.T @ R_second)
        residuals.append(ca.vertcat(shift, _sine(turn))[rows])
        twists = ca.SX.sym("twists", 12)
        rate = _rate(shift, turn, twists)[rows]
        both = ca.densify(ca.vertcat(omega, velocity, omega_second, velocity_second))
        rates.append(ca.substitute(rate, twists, both))
        # Virtual power, lambda' dc/dt, is linear in the twists.
        on_both = ca.jtimes(rate, twists, multipliers[first : first + len(rows)], True)
        for node, on_outlet in zip(nodes, (on_both[:6], on_both[6:]), strict=True):
            wrench[node] += ca.sparsify(on_outlet)
        first += len(rows)
    forces = sweep.inward(wrench, ca.SX(tree.size, 1))
    return ClosureMotion(ca.densify(ca.vertcat(*residuals)), ca.densify(ca.vertcat(*rates)), forces)


def with_all_closures(tree: Tree, q: ca.SX, v: ca.SX) -> Tree:
    """Return the tree with all six closures of each cut, but those that hold whatever the coordinates are."""
    every = tuple(replace(closure, rows=tuple(range(len(ROWS)))) for closure in tree.loops.closures)
    whole = tree.with_loops(replace(tree.loops, closures=every, weights=()))
    rates = closure_motion(whole, q, v, ca.SX(len(whole.loops.multipliers), 1)).rate
    moving = [[not rates[len(ROWS) * i + row].is_zero() for row in range(len(ROWS))] for i in range(len(every))]
    closures = tuple(
        replace(closure, rows=tuple(row for row in closure.rows if moves[row]))
        for closure, moves in zip(every, moving, strict=True)
    )
    return tree.with_loops(replace(tree.loops, closures=closures, weights=()))


def _rate(shift: ca.SX, turn: ca.SX, twists: ca.SX) -> ca.SX:
    """Return the rates (6) of position offsets and sines, for the twists (12) of both outlets in their own axes."""
    omega, velocity, omega_second, velocity_second = ca.vertsplit(twists, 3)
    moved = turn @ velocity_second - velocity - ca.cross(omega, shift)
    return ca.vertcat(moved, _sine(turn @ skew(omega_second) - skew(omega) @ turn))


def _sine(turn: ca.SX) -> ca.SX:
    """Return the axial vector (3) of the skew part of a matrix: of a rotation its axis times the sine."""
    skewed = turn - turn.T
    return ca.vertcat(skewed[2, 1], skewed[0, 2], skewed[1, 0]) / 2
