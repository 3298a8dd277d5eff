"""Motion planning with Pyomo."""

from .attempt import Attempt
from .errors import PlanError, PlanWarning, ProblemError
from .model import pyomo_model
from .objective import Effort, Objective, Time, Vibration
from .planned import Plan
from .problem import RestToRest
from .replay import Replay
from .solve import plan, solve

__all__ = [
    "Attempt",
    "Effort",
    "Objective",
    "Plan",
    "PlanError",
    "PlanWarning",
    "ProblemError",
    "Replay",
    "RestToRest",
    "Time",
    "Vibration",
    "plan",
    "pyomo_model",
    "solve",
]
