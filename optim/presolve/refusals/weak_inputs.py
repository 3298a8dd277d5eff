"""Inputs that are too weak by far: what the rigid arm needs of them, whichever way it goes.

Where some inputs have no limit, or work goes elsewhere than into motion, there is no bound by energy. Then the limited
inputs of the rigid arm are made as small as they become, over smooth motions through a few free postures.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from flexblocks.libraries import scipy

from ...errors import ProblemError
from ..phase_transcription import PhaseTranscription
from ..rigid_motion.bent_motion import STEP, BentMotion
from ..rigid_motion.quasi_static_path import follows_from_balance
from ..transcribed_problem import TranscribedProblem
from .energy_bound import is_conservative

# What the least motion takes, the root mean square of the share of the limits, beyond which none is possible: few
# postures, local minima and deflections are good for a factor of a few.
MARGIN = 100.0
ENOUGH = 1e-2  # relative change at which the search ends
MOST = 30  # evaluations


def check_weak_inputs(transcribed: TranscribedProblem) -> None:
    """Refuse a motion between known equilibria, of given duration, that the limited inputs are too weak for by far."""
    for t in transcribed.first:
        _check(t)


def _check(t: PhaseTranscription) -> None:
    dae, limit = t.dae, np.abs(t.limits.u).max(axis=1, initial=0.0)
    limited = np.isfinite(limit) & (limit > 0)
    known = t.begin.is_known_rest and t.end.is_known_rest and t.phase.is_timed and not t.passed
    if not known or not limited.any() or t.designed:
        return
    knows = dae.tree.prescribed or dae.u.with_role("disturbance")
    if dae.tree.has_undriven_base or knows or follows_from_balance(dae) or is_conservative(dae, t.limits):
        return  # for the last one energy decides, at less cost
    motion = BentMotion(dae, t.start, t.problem.start, t.waypoints, t.mesh.duration)
    if motion.ways.shape[1] < len(dae.u):  # inputs that can stand in for each other
        return

    def shares(u: np.ndarray) -> np.ndarray:
        u = u[:, :, limited] / limit[limited]
        return u.reshape(len(u), -1) / np.sqrt(u.shape[1])

    def share(c: np.ndarray) -> np.ndarray:
        return shares(motion.inputs(c[None]))[0]

    def slope(c: np.ndarray) -> np.ndarray:
        each = shares(motion.inputs_of_steps(c))
        return (each[1:] - each[0]).T / STEP

    still = np.zeros(motion.count)
    if not _is_weak(share(still)):
        return
    jacobian: Any = slope
    least = scipy.optimize.least_squares(share, still, jacobian, ftol=ENOUGH, max_nfev=MOST)
    if not _is_weak(least.fun):
        return
    peaks = np.max(np.abs(motion.inputs(least.x[None])[0]), axis=0) / np.where(limited, limit, np.inf)
    worst = int(np.argmax(peaks))
    unit = dae.u.unit(dae.u.names[worst])
    raise ProblemError(
        f"plan: goal: cannot be reached within {t.mesh.duration:.4g} s: {dae.u.names[worst]} is at most "
        f"{limit[worst]:g} {unit}, and the rigid arm needs {peaks[worst] * limit[worst]:.2g} {unit} of it at least, "
        "whichever way it goes. Raise the limit or the duration."
    )


def _is_weak(share: np.ndarray) -> bool:
    return bool(np.isfinite(share).all() and np.linalg.norm(share) > MARGIN)
