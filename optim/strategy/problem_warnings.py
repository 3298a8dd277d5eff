"""Warnings of problems whose optimum is not what was meant, or is not resolved on any mesh."""

from __future__ import annotations

import numpy as np

from flexblocks.constraints.states_at_posture import followed_outputs
from flexblocks.dynamics.algorithms.energy import stored_energies
from flexblocks.user_warning import warn
from flexblocks.validity.state_ranges import beyond_state_ranges

from ..errors import PlanWarning
from ..presolve.transcribed_problem import TranscribedProblem
from ..results.plan import Plan

JUMPS = (
    " The inputs jump from and to what holds the arm, and a jump excites every mode, resolved or not: with "
    'input_ends="holding" they do not.'
)


def warn_of_jumps(transcribed: TranscribedProblem) -> None:
    """Warn of a minimum-time problem of a flexible arm whose inputs may jump between their limits."""
    dae, objective = transcribed.dae, transcribed.problem.objective
    weighted = any(order for order in objective.input_weights(dae.u.names))
    if not objective.time_weight or weighted or not stored_energies(dae.tree, dae.q):
        return
    limits = np.array([t.limits.du for t in transcribed.first if t.is_free])
    jumping = [name for i, name in enumerate(dae.u.names) if not np.isfinite(limits[:, i]).all()]
    if not jumping:
        return
    name = jumping[0]
    warn(
        f"plan: minimum time without limits on the rate of {', '.join(jumping)}: inputs that jump excite every "
        "mode of the arm, including those that the mesh does not resolve; the plan will not converge under refinement "
        f'and its replay may miss the goal. Limit the rates, as limits={{"der({name})": 20.0}}, or add a weighted '
        "optim.Effort().",
        PlanWarning,
    )


def warn_beyond_states(plan: Plan) -> None:
    """Warn of states beyond the ranges in which the physics of their blocks holds, which no limit forbids."""
    dae = plan.transcribed.arm
    texts = (beyond_state_ranges(dae, motion.x, motion.t) for motion in plan.trajectories)
    if text := next(filter(None, texts), ""):
        warn(f"Plan of '{dae.name}': {text}. Plans keep what `limits` say of such states.", PlanWarning)


def advice_on_ends(transcribed: TranscribedProblem) -> str:
    """Return a sentence for warnings if inputs that could be continuous jump from and to rest; empty if none do."""
    first, last = transcribed.first[0], transcribed.first[-1]
    free = transcribed.problem.input_ends == "free" and first.shape.is_continuous
    return JUMPS if free and not first.begin.moving and last.end.is_rest else ""


def warn_of_slack(transcribed: TranscribedProblem) -> None:
    """Warn of ropes on winches that hang slack at an end.

    Where a rope is slack, its length tells the motion nothing, and a little less of it pulls with tons: hardly any
    search finds an optimum through that.
    """
    dae, slack = transcribed.dae, dict[str, None]()
    following = list(dae.tree.states_following)
    for point in (at for t in transcribed.first for at in (t.start, t.goal) if following):
        lengths, spanned = point.x[following], followed_outputs(dae, point.x[:, None], point.p)[:, 0]
        slack |= dict.fromkeys(dae.x.names[i] for i in np.array(following)[lengths > spanned])
    if slack:
        first = next(iter(slack)).rsplit(".", 1)[0]
        warn(
            f"plan: {', '.join(name.rsplit('.', 1)[0] for name in slack)}: slack at rest, and motions with slack ropes "
            f'are hard to find. Keep them taut, as by limits={{"{first}.tension": (low, None)}}.',
            PlanWarning,
        )
