"""Motion planning with Pyomo."""

from .attempt import Attempt
from .errors import PlanError, PlanWarning, ProblemError
from .model import pyomo_model
from .objective import Effort, Objective, Time, Vibration
from .path_constraints import KeepIn, KeepOut, Within
from .planned import Plan
from .problem import RestToRest
from .region import Box, HalfSpace, Sphere
from .replay import Replay
from .solve import plan, solve

__all__ = [
    "Attempt",
    "Box",
    "Effort",
    "HalfSpace",
    "KeepIn",
    "KeepOut",
    "Objective",
    "Plan",
    "PlanError",
    "PlanWarning",
    "ProblemError",
    "Replay",
    "RestToRest",
    "Sphere",
    "Time",
    "Vibration",
    "Within",
    "plan",
    "pyomo_model",
    "solve",
]
