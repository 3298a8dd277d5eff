"""Motion planning with Pyomo."""

from .errors import PlanError, PlanWarning, ProblemError
from .infeasibility.conflict import Conflict
from .infeasibility.diagnose import diagnose
from .model.build import pyomo_model
from .model.update_boundary import repose
from .planner import plan
from .problem.objective import Objective
from .problem.objective_terms import Effort, Final, Integral, Jerk, Time, Tracking, Vibration
from .problem.path_constraints import KeepIn, KeepOut, Within
from .problem.phase import Phase
from .problem.problem import Problem
from .problem.region import Box, HalfSpace, Sphere
from .problem.rest_to_rest import RestToRest
from .problem.via import Via
from .results.attempt import Attempt
from .results.plan import Plan, load_plan
from .solve import solve
from .strategy.model_refinement import refine_model
from .verification.audit import Audit
from .verification.replay import Replay

__all__ = [
    "Attempt",
    "Audit",
    "Box",
    "Conflict",
    "Effort",
    "Final",
    "HalfSpace",
    "Integral",
    "Jerk",
    "KeepIn",
    "KeepOut",
    "Objective",
    "Phase",
    "Plan",
    "PlanError",
    "PlanWarning",
    "Problem",
    "ProblemError",
    "Replay",
    "RestToRest",
    "Sphere",
    "Time",
    "Tracking",
    "Via",
    "Vibration",
    "Within",
    "diagnose",
    "load_plan",
    "plan",
    "pyomo_model",
    "refine_model",
    "repose",
    "solve",
]
