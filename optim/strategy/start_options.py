"""IPOPT's options of a start: from a first guess, and from the optimum of another objective."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..ipopt_options import FINE_CONVEXITY, NEAR_EQUATIONS, NEIGHBOR, OWN_STEP
from ..presolve.rigid_motion.quasi_static_path import follows_from_balance
from ..presolve.transcribed_problem import TranscribedProblem


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
