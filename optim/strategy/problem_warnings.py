"""Warnings of problems whose optimum is not what was intended, or is not resolved on any mesh."""

from __future__ import annotations

import numpy as np

from flexblocks.constraints.states_at_posture import followed_outputs
from flexblocks.dynamics.algorithms.energy import stored_energies
from flexblocks.user_warning import warn
from flexblocks.validity.state_ranges import beyond_state_ranges

from ..presolve.bounds import own_limits
from ..presolve.transcribed_problem import TranscribedProblem
from ..results.plan import Plan
from ..tolerances import ROUNDING
from ..warning_kinds import JUMPING_INPUTS, LIMITS_OF_ACTUATORS, LIMITS_OF_JOINTS, PLAN_BEYOND_STATES, SLACK_ROPES


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
        JUMPING_INPUTS,
    )


def warn_beyond_states(plan: Plan) -> None:
    """Warn of states beyond the ranges in which the physics of their blocks holds, which no limit forbids."""
    dae = plan.transcribed.arm
    texts = (beyond_state_ranges(dae, motion.x, motion.t, planned=True) for motion in plan.trajectories)
    if text := next(filter(None, texts), ""):
        warn(f"Plan of '{dae.name}': {text}. Plans keep what `limits` say of such states.", PLAN_BEYOND_STATES)


def warn_of_wider_limits(transcribed: TranscribedProblem) -> None:
    """Warn of limits that are wider than those of actuators, which the plan keeps, or of joints, which it does not."""
    dae, told, of_joints = transcribed.dae, dict[str, str](), dict[str, str]()
    joints = own_limits(dae) if dae.tree.state_ranges else {}
    for t in transcribed.first:
        for name, (low, high) in transcribed.problem.ranges_in(t.phase).items():
            own = float(dae.u.limits[dae.u.index(name)]) if name in dae.u else np.inf
            beyond = max([abs(end) for end in (low, high) if np.isfinite(end)], default=0.0) - own
            if beyond > ROUNDING * own:
                unit = dae.u.unit(name)
                told[name] = (
                    f"{name} = ({low:g}, {high:g}), by {beyond:.3g} {unit} beyond the {own:g} {unit} that it gives"
                )
            least, most = joints.get(name, (-np.inf, np.inf))
            if any(np.isfinite(end) and off > 0 for end, off in ((low, least - low), (high, high - most))):
                of_joints[name] = f"{name} = ({low:g}, {high:g}), of the joint {least:g} to {most:g} {dae.x.unit(name)}"
    if told:
        warn(
            f"plan: limits exceed those of the actuators themselves: {'; '.join(told.values())}. The plan keeps within "
            "what the actuators give. Raise the limit of the block, or lower that of the plan.",
            LIMITS_OF_ACTUATORS,
        )
    if of_joints:
        warn(
            f"plan: limits exceed those of the joints themselves: {'; '.join(of_joints.values())}. The plan keeps "
            "the former. Leave them out to keep those of the joints, or give None for an end that has no limit.",
            LIMITS_OF_JOINTS,
        )


def warn_of_slack(transcribed: TranscribedProblem) -> None:
    """Warn of ropes on winches that hang slack at an end.

    Where a rope is slack, its length does not affect the motion, and a little less of it pulls with tons: hardly any
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
            SLACK_ROPES,
        )
