"""Kinds of warnings of motion planning: of each its symptom, cause and remedy, see `flexblocks.warning_kinds`."""

from __future__ import annotations

from dataclasses import dataclass

from flexblocks.warning_kinds import WarningKind

from .errors import PlanWarning


@dataclass(frozen=True)
class PlanWarningKind(WarningKind):
    """A kind of warning about a plan or its problem."""

    category: type[PlanWarning] = PlanWarning


GOAL_IN_DEGREES = PlanWarningKind(
    "goal-in-degrees",
    "A goal is several turns away",
    "The angle was given in degrees.",
    "Use `math.radians`.",
)
COARSE_MESH = PlanWarningKind(
    "coarse-mesh",
    "Its mesh is too coarse, or is not judged",
    "The polynomials of the mesh do not follow the motion, as where inputs jump or modes are faster than the mesh.",
    'More intervals, `refine=True`, limits on rates, or `input_ends="holding"`. Judge the replay.',
)
BETWEEN_POINTS = PlanWarningKind(
    "between-points",
    "Beyond its limits between collocation points",
    "Limits hold at mesh and collocation points only.",
    "More intervals, `refine=True`, or `margins=`.",
)
REFINEMENT_ENDED = PlanWarningKind(
    "refinement-ended",
    "Refinement ended before the plan replayed",
    "Intervals or time were used up.",
    "More intervals, wider criteria, a longer `time_limit`.",
)
PLAN_ENDED = PlanWarningKind(
    "plan-ended",
    "Planning reached its time limit or was interrupted; the best plan so far is returned",
    "The time limit is short, or the problem is hard.",
    "Read its status; `optim.solve(plan.pyomo_model)` continues.",
)
NO_OPTIMUM = PlanWarningKind(
    "not-optimal",
    "No optimum was found within the budget, but a motion within all limits",
    "The solver was still improving the motion.",
    "Continue with `guess=plan`, or simplify the objective.",
)
JUMPING_INPUTS = PlanWarningKind(
    "jumping-inputs",
    "Minimum time without limits on the rate of inputs",
    "Inputs that jump from limit to limit excite every mode.",
    "Limit `der(...)` of the inputs, or add weighted `optim.Effort()`.",
)
BOUNDED_RATES = PlanWarningKind(
    "bounded-rates",
    "No optimum was found beyond der(...)",
    "Joints without gears spin ever faster in the optimum; their rates are bounded.",
    "Add the rotors of geared drives, or limit the rates of joints.",
)
SCENARIOS_NOT_AT_REST = PlanWarningKind(
    "scenarios-not-at-rest",
    "Exact rest of all scenarios was not reached by shared inputs",
    "Shared inputs cannot cancel the vibrations of every scenario.",
    "Set `leeway`, or plan scenarios separately.",
)
UNRESOLVED_MODES = PlanWarningKind(
    "unresolved-modes",
    "The mesh leaves more modes unresolved than there are inputs",
    "Terminal rest is enforced up to the stated energy only.",
    "More intervals, or a `leeway` of your choice.",
)
SCENARIOS_APART = PlanWarningKind(
    "scenarios-apart",
    "Under shared inputs a scenario comes to rest elsewhere",
    "Winches and pistons travel alike, while loads stretch ropes and compress oil differently.",
    "Plan scenarios separately.",
)
ROUNDED_LAWS = PlanWarningKind(
    "rounded-laws",
    "Is not solved to an optimum; the plan is one with rounded friction or play",
    "Friction and play change their force abruptly.",
    "Judge the replay, which has the law itself; follow the plan with feedback.",
)
LIMITS_OF_ACTUATORS = PlanWarningKind(
    "limits-of-actuators",
    "Limits exceed those of the actuators",
    "The limit in the plan has no effect.",
    "Raise the limit of the block, or lower that of the plan.",
)
HORIZON_BEYOND_LIMITS = PlanWarningKind(
    "horizon-beyond-limits",
    "The posture or a reference of an MPC is beyond its limits",
    "Limits of signals are soft: the law leaves its reference to come within them. Those of inputs are not.",
    "Choose `at` and references within the limits, or widen these.",
)
LIMITS_OF_JOINTS = PlanWarningKind(
    "limits-of-joints",
    "Limits exceed those of the joints",
    "The limit in the plan replaces that of the joint.",
    "Leave it out, or give `None`.",
)
PLAN_BEYOND_STATES = PlanWarningKind(
    "plan-beyond-states",
    "States of a plan are beyond the ranges of their blocks",
    "The physics of a block does not hold there, and no limit forbids it.",
    "Limit these states.",
)
SLACK_ROPES = PlanWarningKind(
    "slack-ropes",
    "A rope is slack at rest",
    "A slack rope exerts no force, and its motion is hard to plan.",
    "Keep it taut by a limit on its tension.",
)
UNTRACKABLE = PlanWarningKind(
    "untrackable",
    "The replay under feedback could not be simulated",
    "The regulator along the plan does not stabilise the arm, as between teeth with play.",
    "Pass a `law` that suits the arm; the replay shown is that of the inputs alone.",
)
POOR_GUESS = PlanWarningKind(
    "poor-guess",
    "The given guess breaks the equations",
    "The guess is much worse than the planner's own, which is used.",
    "Give a guess closer to a motion of the arm.",
)
MOVED_BY_HAND = PlanWarningKind(
    "moved-by-hand",
    "Start or goal of the Pyomo model was changed, and the problem was not",
    "Variables were fixed elsewhere; replay and summary refer to the problem.",
    "Build the model of the other problem by `optim.pyomo_model(dae, problem)`.",
)
UNSEEN_PARAMETERS = PlanWarningKind(
    "unseen-parameters",
    "The motion does not show a parameter",
    "No signal that is measured depends on it.",
    "Measure other signals, or leave the parameter out.",
)

KINDS = tuple(value for value in vars().copy().values() if isinstance(value, PlanWarningKind))
