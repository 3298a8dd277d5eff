"""IPOPT's options by what a solve starts from; all that planning sets are here."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..presolve.rigid_motion.quasi_static_path import follows_from_balance
from ..presolve.transcribed_problem import TranscribedProblem

# Equations may not be violated by more than in the guess: with IPOPT's 10000 times the first steps may whirl the arm
# about, and it stays at that. With 0.1 some solves take three times the iterations.
NEAR_EQUATIONS = {"theta_max_fact": 1.0}
# Multipliers get the step that leaves least of the optimality conditions, not that of the motion, at which they may
# grow by six decades: IPOPT scales its error by them, and so lowers the barrier far from its path.
OWN_STEP = {"alpha_for_y": "min-dual-infeas"}
# Where the Hessian is indefinite IPOPT adds multiples of the identity, each this many times the one before until the
# step descends. IPOPT's 8 overshoots, and so shortens the steps where no limits do.
FINE_CONVEXITY = {"perturb_inc_fact": 3.0}
USUAL_CONVEXITY = {"perturb_inc_fact": 8.0}  # where modes that the mesh does not resolve bend the Hessian anyway
# IPOPT's mu_init from the solution of a neighbouring problem, and from the same motion on another mesh or with limits
# that it keeps. Its default of 0.1 first drives the iterates away from the start.
NEIGHBOR = {"mu_init": 1e-2}
SAME_MOTION = {"mu_init": 1e-5}
FINER_MESH = NEAR_EQUATIONS | SAME_MOTION


def from_guess(transcribed: TranscribedProblem) -> dict[str, Any]:
    """Return the options for a first guess, whose multipliers are none yet.

    Along lines and past obstacles, and where ropes, cylinders or loops act, multipliers keep IPOPT's own steps.
    """
    if follows_from_balance(transcribed.dae):
        return NEAR_EQUATIONS
    if any(t.path.rows for t in transcribed.first):
        return NEAR_EQUATIONS
    limits = (bounds for t in transcribed.first for bounds in (t.limits.x, *t.limits.inputs))
    is_limited = any(np.isfinite(bounds).any() for bounds in limits)
    return NEAR_EQUATIONS | OWN_STEP | ({} if is_limited else FINE_CONVEXITY)


def from_other_objective(transcribed: TranscribedProblem) -> dict[str, Any]:
    """Return the options for the optimum of another objective.

    What violates the equations of ropes, cylinders and loops means forces that no arm bears.
    """
    near = NEAR_EQUATIONS if follows_from_balance(transcribed.dae) else {}
    return NEIGHBOR | OWN_STEP | near
