"""Controllability of scenarios that share their inputs: momenta that no input changes.

Where nothing holds an arm, no input changes some sums of the scenarios' momenta, and where inertia is constant these
are rates of sums of coordinates: one torque turns two different inertias by different angles, whatever its course.
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

from ..problem.problem import Problem
from .boundary import End

RANK = 1e-9  # singular values below this share of the largest are zero
UNMET = 1e-6  # share of its terms by which a sum that must vanish does not

Ends = Sequence[Sequence[tuple[End, End]]]  # by scenario, and in it by phase


def scenarios_apart(dae: DAE, problem: Problem, ends: Ends) -> str | None:
    """Return which scenarios no shared inputs bring to which goal, by momenta with the inertia there; None if all.

    That is so where inertia is constant; where it changes with the posture, as far as small motions go.
    """
    groups = [*combinations(range(len(ends)), 2), tuple(range(len(ends)))]
    for i, phase in enumerate(problem.phases):
        if len(ends) < 2 or not all(end.kind == "fixed" for run in ends for end in run[i]):
            continue
        drifts = [_drift(dae, *(end.point for end in run[i])) for run in ends]
        for group in groups:
            if not _can_be_met([drifts[s] for s in group]):
                where = f" of phase '{phase.name}'" if len(problem.phases) > 1 else ""
                return f"{listed_scenarios(problem, group)} to the goal{where}"
    return None


def _drift(dae: DAE, start: OperatingPoint, goal: OperatingPoint) -> tuple[np.ndarray, np.ndarray]:
    """Return what inputs (r, nu) do to the momenta of free motions, and what these are of the way to the goal (r,)."""
    n = dae.tree.size
    _, dx, _, du = (value.full() for value in motion(dae)(goal.x, goal.z, goal.u, goal.p, 0.0, 0.0)[:4])
    at_rest = unknown_vector(dae, goal.x, goal.z, np.zeros(0), goal.u)
    stiffness = rest(dae)(at_rest, goal.p)[1].full()[:n]
    # Free are motions that meet neither stiffness nor damping, nor states of drives.
    met = np.vstack([stiffness[:, :n], stiffness[:, :n].T, dx[:n, n : 2 * n].T, stiffness[:, n : -len(dae.u)].T])
    free = scipy.linalg.null_space(met / np.maximum(np.abs(met).max(axis=1, keepdims=True), 1e-300), rcond=RANK)
    mass = regular_mass(dae, goal.x[:n], goal.p, *dae.dependent_values(goal.x, goal.z))
    return -free.T @ du[:n], free.T @ mass @ (goal.x[:n] - start.x[:n])


def _can_be_met(drifts: Sequence[tuple[np.ndarray, np.ndarray]]) -> bool:
    """Whether the ways are those of inputs: a sum of momenta that no input changes has no way to go."""
    pushes = np.vstack([push for push, _ in drifts])
    ways = np.concatenate([way for _, way in drifts])
    unpushed = scipy.linalg.null_space(pushes.T, rcond=RANK) if pushes.size else np.zeros((0, 0))
    return bool(np.all(np.abs(unpushed.T @ ways) <= UNMET * np.abs(unpushed.T) @ np.abs(ways)))


def inertia_is_constant(dae: DAE) -> bool:
    """Whether the mass matrix depends on no coordinate: then momenta are rates of sums of coordinates."""
    if dae.tree.loops.closures or dae.dependent_names:
        return False
    q, p = ca.SX.sym("q", dae.tree.size), ca.SX.sym("p", len(dae.p))
    (mass,) = dae.mass_matrix.call([q, p], True, False)
    return not any(ca.which_depends(mass.nz[:] if mass.nnz() else ca.SX(0), q, 1, True))


def listed_scenarios(problem: Problem, chosen: Sequence[int]) -> str:
    """Return scenarios by number, with the parameters that make them."""
    return "; ".join(
        f"{i}: {', '.join(f'{name} = {value:g}' for name, value in problem.scenarios[i].items())}" for i in chosen
    )
