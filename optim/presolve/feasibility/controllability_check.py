"""Controllability of scenarios that share their inputs: momenta that no input changes.

If neither stiffness nor damping acts on an arm, some sums of the scenarios' momenta are conserved whatever the inputs;
with constant inertia these are rates of sums of coordinates. One torque turns two different inertias by different
angles, whatever its time history.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import casadi as ca
import numpy as np
import scipy.linalg

from flexblocks.constraints.loop_equations import regular_mass
from flexblocks.dae.dae import DAE
from flexblocks.statics.balance import motion, rest, unknown_vector
from flexblocks.statics.operating_point import OperatingPoint

from ...problem.problem import Problem
from ..boundary import End

RANK = 1e-9  # singular values below this share of the largest are zero
UNMET = 1e-6  # a sum counts as non-zero above this share of its terms; between rounding and any real mismatch, by trial

Ends = Sequence[Sequence[tuple[End, End]]]  # by scenario, and in it by phase


def scenarios_apart(dae: DAE, problem: Problem, ends: Ends) -> str | None:
    """Return which scenarios no shared inputs can bring to which goal, by conserved momenta; None if all can be.

    Exact for constant inertia; where inertia depends on the posture, valid for small motions about the goal.
    """
    groups = [*combinations(range(len(ends)), 2), tuple(range(len(ends)))]
    for i, phase in enumerate(problem.phases):
        if len(ends) < 2 or not all(end.is_known_rest for run in ends for end in run[i]):
            continue
        drifts = [_drift(dae, *(end.point for end in run[i])) for run in ends]
        for group in groups:
            if not _can_be_met([drifts[s] for s in group]):
                where = f" of phase '{phase.name}'" if len(problem.phases) > 1 else ""
                return f"{listed_scenarios(problem, group)} to the goal{where}"
    return None


def _drift(dae: DAE, start: OperatingPoint, goal: OperatingPoint) -> tuple[np.ndarray, np.ndarray]:
    """Return the input matrix (r, nu) of the free motions, and their momenta (r,) for the motion to the goal."""
    n = dae.tree.size
    _, dx, _, du = (value.full() for value in motion(dae)(goal.x, goal.z, goal.u, goal.p, 0.0, 0.0)[:4])
    at_rest = unknown_vector(dae, goal.x, goal.z, np.zeros(0), goal.u)
    stiffness = rest(dae)(at_rest, goal.p)[1].full()[:n]
    # Free motions: no stiffness, damping or drive state acts on them
    met = np.vstack([stiffness[:, :n], stiffness[:, :n].T, dx[:n, n : 2 * n].T, stiffness[:, n : -len(dae.u)].T])
    free = scipy.linalg.null_space(met / np.maximum(np.abs(met).max(axis=1, keepdims=True), 1e-300), rcond=RANK)
    mass = regular_mass(dae, *dae.posture(goal.x, goal.z, goal.p))
    return -free.T @ du[:n], free.T @ mass @ (goal.x[:n] - start.x[:n])


def _can_be_met(drifts: Sequence[tuple[np.ndarray, np.ndarray]]) -> bool:
    """Whether shared inputs can produce these motions: conserved sums of momenta must vanish."""
    pushes = np.vstack([push for push, _ in drifts])
    ways = np.concatenate([way for _, way in drifts])
    unpushed = scipy.linalg.null_space(pushes.T, rcond=RANK) if pushes.size else np.zeros((0, 0))
    return bool(np.all(np.abs(unpushed.T @ ways) <= UNMET * np.abs(unpushed.T) @ np.abs(ways)))


def inertia_is_constant(dae: DAE) -> bool:
    """Whether the mass matrix is constant; momenta are then rates of sums of coordinates."""
    if dae.tree.loops.closures or dae.tree.dependent_names:
        return False
    q, p = ca.SX.sym("q", dae.tree.size), ca.SX.sym("p", len(dae.p))
    (mass,) = dae.mass_matrix.call([q, p], True, False)
    return not any(ca.which_depends(mass.nz[:] if mass.nnz() else ca.SX(0), q, 1, True))


def listed_scenarios(problem: Problem, chosen: Sequence[int]) -> str:
    """Return scenarios by number, with their parameters, for messages."""
    return "; ".join(
        f"{i}: {', '.join(f'{name} = {value:g}' for name, value in problem.scenarios[i].items())}" for i in chosen
    )
