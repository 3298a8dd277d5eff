"""Optimal motion planning: transcription by direct collocation, solved by IPOPT through Pyomo and CasADi."""

from flexblocks.public_calls import guard

from .errors import PlanError, PlanWarning, ProblemError
from .infeasibility.conflict import Conflict
from .infeasibility.diagnose import diagnose
from .model.build import pyomo_model
from .model.update_boundary import repose
from .next_experiment import next_experiment
from .planner import plan
from .problem import objectives, path_constraints
from .problem.course import Course
from .problem.objectives import *  # noqa: F403  (the terms that are registered there)
from .problem.objectives.objective import Objective
from .problem.path_constraints import *  # noqa: F403
from .problem.path_constraints.capsule import Capsule
from .problem.path_constraints.region import Cuboid, HalfSpace, Sphere
from .problem.phase import Phase
from .problem.pose import Pose
from .problem.problem import Problem
from .problem.rest_to_rest import RestToRest
from .problem.via import Via
from .receding.moving_horizon import Estimates, MovingHorizon
from .receding.mpc import MPC
from .receding.report import Report
from .results.attempt import Attempt
from .results.plan import Plan
from .results.saved_plan import saved_plan  # noqa: F401  (it says how plans are pickled)
from .solve import solve
from .strategy.guesses.given_guess import rigid_motion
from .strategy.refinement.model_refinement import refine_model
from .verification.audit import Audit
from .verification.criteria import Criteria
from .verification.replay import Replay

__all__ = [
    "MPC",
    "Attempt",
    "Audit",
    "Capsule",
    "Conflict",
    "Course",
    "Criteria",
    "Cuboid",
    "Estimates",
    "HalfSpace",
    "MovingHorizon",
    "Objective",
    "Phase",
    "Plan",
    "PlanError",
    "PlanWarning",
    "Pose",
    "Problem",
    "ProblemError",
    "Replay",
    "Report",
    "RestToRest",
    "Sphere",
    "Via",
    "diagnose",
    "next_experiment",
    "plan",
    "pyomo_model",
    "refine_model",
    "repose",
    "rigid_motion",
    "solve",
]
__all__ += objectives.__all__
__all__ += path_constraints.__all__

guard(__name__, __all__)
