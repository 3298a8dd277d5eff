"""Scenarios that share their inputs: one value of an input holds them, and no input changes some of their momenta.

If neither stiffness nor damping acts on an arm, some sums of the scenarios' momenta are conserved whatever the inputs;
with constant inertia these are rates of sums of coordinates. One torque turns two different inertias by different
angles, whatever its time history.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import casadi as ca
import numpy as np

from flexblocks.constraints.loop_equations import regular_mass
from flexblocks.dae.dae import DAE
from flexblocks.libraries import scipy
from flexblocks.statics.balance import motion, rest, unknown_vector
from flexblocks.statics.operating_point import OperatingPoint

from ...errors import ProblemError
from ...problem.problem import Problem
from ...tolerances import RESIDUE, ROUNDING
from ..first_order_states import reference_states
from ..transcribed_problem import TranscribedProblem


def check_shared_holding(transcribed: TranscribedProblem) -> None:
    """Refuse shared inputs whose holding values differ between scenarios."""
    dae, runs, shared = transcribed.dae, transcribed.runs, list(reference_states(transcribed.dae))
    starts, goals = [run[0].begin for run in runs], [run[-1].end for run in runs if run[-1].end.is_rest]
    for where, ends in (("start", starts), ("goal", goals)):
        for other in ends[1:]:
            first, held = (np.concatenate([end.point.x[shared], end.point.u]) for end in (ends[0], other))
            apart = np.abs(held - first) > ROUNDING * np.maximum(1.0, np.abs(held))
            if apart.any():
                name = [*(dae.x.names[i] for i in shared), *dae.u.names][int(np.argmax(apart))]
                raise ProblemError(
                    f'plan: input_ends = "holding", but the scenarios share their inputs and {name} holds them at the '
                    f'{where} with {ends[0].point[name]:g} and {other.point[name]:g}; take input_ends="free".'
                )


def check_shared_momentum(transcribed: TranscribedProblem) -> None:
    """Refuse scenarios whose goals no shared input can reach because a momentum is conserved."""
    apart = scenarios_apart(transcribed) if _inertia_is_constant(transcribed.dae) else None
    if apart is not None:
        raise ProblemError(
            f"plan: no inputs move the scenarios {apart} together: nothing holds the arm but its inputs, which change "
            "the momenta of all of them alike, so different inertias move differently. Plan them separately, give the "
            "phase a leeway and a goal for fewer coordinates, or share references of servos (fb.PDServo) in place of "
            "torques."
        )


def scenarios_apart(transcribed: TranscribedProblem) -> str | None:
    """Return which scenarios no shared inputs can bring to which goal, by conserved momenta; None if all can be.

    Exact for constant inertia; where inertia depends on the posture, valid for small motions about the goal.
    """
    runs, problem = transcribed.runs, transcribed.problem
    groups = [*combinations(range(len(runs)), 2), tuple(range(len(runs)))]
    for i, phase in enumerate(problem.phases):
        if len(runs) < 2 or not all(end.is_known_rest for run in runs for end in (run[i].begin, run[i].end)):
            continue
        drifts = [_drift(transcribed.dae, run[i].start, run[i].goal) for run in runs]
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
    free = scipy.linalg.null_space(met / np.maximum(np.abs(met).max(axis=1, keepdims=True), 1e-300), rcond=ROUNDING)
    mass = regular_mass(dae, *dae.posture(goal.x, goal.z, goal.p))
    return -free.T @ du[:n], free.T @ mass @ (goal.x[:n] - start.x[:n])


def _can_be_met(drifts: Sequence[tuple[np.ndarray, np.ndarray]]) -> bool:
    """Whether shared inputs can produce these motions: conserved sums of momenta must vanish."""
    pushes = np.vstack([push for push, _ in drifts])
    ways = np.concatenate([way for _, way in drifts])
    unpushed = scipy.linalg.null_space(pushes.T, rcond=ROUNDING) if pushes.size else np.zeros((0, 0))
    return bool(np.all(np.abs(unpushed.T @ ways) <= RESIDUE * np.abs(unpushed.T) @ np.abs(ways)))


def _inertia_is_constant(dae: DAE) -> bool:
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
