"""The objective: effort in its place, or added to it."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
import pyomo.environ as pyo

from ...model.objective import set_costs
from ...presolve.bounds import chosen_inputs
from ...presolve.magnitudes.characteristic_magnitudes import magnitudes
from ...presolve.transcribed_problem import TranscribedProblem
from ...problem.objectives import Effort
from ...problem.objectives.objective import Objective as Functional
from ..relaxation import ContinuousRelaxation, Found
from ..request import Request
from ..start_options import from_other_objective
from ..warm_start import start_from

# The time that weighs the inputs' rates, as a share of the duration: about twice that of `Effort`. Shortest times are
# more often reached from smooth inputs. By trial.
SMOOTHING = 0.11
EVEN = 0.5  # the share of effort at which it costs as much as the objective
TRIAL = 200  # iterations of another objective from the first guess: those that converge take 9 to 164


class Objective(ContinuousRelaxation):
    """The share of effort in the objective; 1 is effort alone, where durations are fixed."""

    name = "objective"
    keeps_limits = True
    step, longest_step, least_level, easy = 0.0, 0.0, 0.01, 0

    def __init__(self, asked: Request, model: Any) -> None:
        super().__init__(asked, model)
        self._is_free = self.transcribed.is_free
        self.applies = self._is_free or not self.transcribed.is_effort
        self._least_effort: Found | None = None
        self.trial = None if self.transcribed.is_effort else TRIAL

    def easier(self, request: Request, level: float) -> float:
        if level or not self.applies or request.problem.objective != self.asked.problem.objective:
            return 0.0
        return EVEN if self._is_free else 1.0

    def at(self, request: Request, level: float) -> Request:
        if level == 1.0:
            duration = sum(t.mesh.duration for t in self.transcribed.first)
            objective: Functional = effort(self.transcribed, SMOOTHING * duration)
        else:
            weight = self._weight * level / (1 - level)
            objective = self.asked.problem.objective + weight * effort(self.transcribed)
        return replace(request, problem=replace(request.problem, objective=objective))

    def observe(self, found: Found) -> None:
        levels, request = found.levels, found.request
        is_effort = levels.get(self.name) == 1.0 or "duration" in levels
        if not is_effort or request.penalty or len(found.plan.trajectories) != len(self.transcribed.runs):
            return
        self._least_effort = found

    @cached_property
    def _weight(self) -> float:
        """The weight at which effort costs as much as the objective, along a motion of least effort."""
        found = self._least_effort
        if found is None or not found.plan.objective > 0:
            return 1.0
        model = self.asked.model(self.transcribed)
        start_from(model, found.model)
        set_costs(model)
        value: Any = pyo.value(model.objective)
        return abs(value) / found.plan.objective or 1.0

    def words(self, level: float) -> str:
        if not level:
            return label(self.asked.problem.objective)
        return f"with effort at a share of {level:.2g}" if level < 1 else "least effort"

    def options(self, found: Found, target: float) -> dict[str, Any]:
        return from_other_objective(self.transcribed)


def effort(transcribed: TranscribedProblem, smoothing: float | None = None) -> Effort:
    """Return the effort of inputs relative to their limits, with rates weighed by the square of this time [s]."""
    sizes = _input_sizes(transcribed)
    if not transcribed.first[0].shape.is_continuous:
        return Effort(0.0, sizes)
    return Effort(None if smoothing is None else smoothing**2, sizes)


def _input_sizes(transcribed: TranscribedProblem) -> dict[str, float]:
    """Return the largest value of each input within its limits, else its magnitude in this motion.

    With torques and speeds of winches added as they are, the winches of a luffing crane cost nothing.
    """
    limits = np.max([np.max(np.abs(t.limits.u), axis=1) for t in transcribed.first], axis=0)
    known = np.isfinite(limits) & (limits > 0)
    if not known.all():
        limits = np.where(known, limits, np.max([magnitudes(t)["u"] for t in transcribed.first], axis=0))
    chosen = chosen_inputs(transcribed.dae, transcribed.problem)
    sizes = zip(transcribed.dae.u.names, limits.tolist(), strict=True)
    return {name: size for name, size in sizes if name in chosen}


def label(objective: Functional) -> str:
    """Return an objective in words."""
    return " + ".join(f"{'' if weight == 1 else f'{weight:g} '}{term.label}" for weight, term in objective.terms)
