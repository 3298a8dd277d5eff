"""Motion planning with Pyomo."""

from .errors import PlanError, ProblemError
from .model import pyomo_model
from .objective import Effort
from .planned import Plan
from .problem import RestToRest
from .replay import Replay
from .solve import plan, solve

__all__ = ["Effort", "Plan", "PlanError", "ProblemError", "Replay", "RestToRest", "plan", "pyomo_model", "solve"]
