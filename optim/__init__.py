"""Motion planning with Pyomo."""

from .attempt import Attempt
from .audit import Audit
from .conflict import Conflict
from .diagnose import diagnose
from .errors import PlanError, PlanWarning, ProblemError
from .model import pyomo_model
from .objective import Effort, Objective, Time, Vibration
from .path_constraints import KeepIn, KeepOut, Within
from .path_objective import Final, Integral, Jerk, Tracking
from .phase import Phase
from .plan_file import load_plan
from .planned import Plan
from .problem import Problem
from .region import Box, HalfSpace, Sphere
from .replay import Replay
from .repose import repose
from .rest_to_rest import RestToRest
from .solve import plan, solve
from .via import Via

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
    "repose",
    "solve",
]
