"""Motion planning with Pyomo."""

from .attempt import Attempt
from .errors import PlanError, PlanWarning, ProblemError
from .model import pyomo_model
from .objective import Effort, Objective, Time, Vibration
from .path_constraints import KeepIn, KeepOut, Within
from .path_objective import Final, Integral, Jerk, Tracking
from .phase import Phase
from .planned import Plan
from .problem import Problem
from .region import Box, HalfSpace, Sphere
from .replay import Replay
from .rest_to_rest import RestToRest
from .solve import plan, solve
from .via import Via

__all__ = [
    "Attempt",
    "Box",
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
    "plan",
    "pyomo_model",
    "solve",
]
