"""Scenarios that share their inputs: their mean alone, then the extremes, then ever more in between."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from flexblocks.user_warning import warn

from ...tolerances import ROUNDING
from ...warning_kinds import SCENARIOS_APART
from ..relaxation import Found, Relaxation
from ..request import Request
from ..scenario_order import growing_sets, spread_out


class Scenarios(Relaxation):
    """Fewer scenarios; the level counts how often more are added until there are all."""

    name = "scenarios"

    def __init__(self, asked: Request, model: Any) -> None:
        super().__init__(asked, model)
        runs = self.transcribed.runs
        self.is_raised_first = len(runs) > 1 and not (self.transcribed.is_free or self.transcribed.problem.design)
        self._step = 1
        if self.is_raised_first:
            self._parameters = scenario_parameters(self.transcribed)
            self._sets = list(growing_sets(spread_out(self._parameters)))

    def easier(self, request: Request, level: float) -> float:
        return float(len(self._sets)) if self.is_raised_first and not level else 0.0

    def lower(self, found: Found) -> float:
        return max(found.levels[self.name] - self._step, 0.0)

    def shorten(self) -> bool:
        self._step += 1  # what a few do not reach together may be reached by all from the mean
        return self._step <= len(self._sets)

    def lengthen(self, iterations: int) -> None:
        self._step = 1

    def at(self, request: Request, level: float) -> Request:
        problem = request.problem
        if level == len(self._sets):
            names, mean = self.transcribed.dae.p.names, self._parameters.mean(axis=0)
            p = dict(request.p) | dict(zip(names, mean.tolist(), strict=True))
            return replace(request, problem=replace(problem, scenarios=()), p=p)
        members = self._sets[len(self._sets) - int(level) - 1]
        return replace(request, problem=replace(problem, scenarios=tuple(problem.scenarios[i] for i in members)))

    def words(self, level: float) -> str:
        if not level:
            return "all scenarios"
        if level == len(self._sets):
            return "the mean of all scenarios"
        return f"scenarios {', '.join(map(str, self._sets[len(self._sets) - int(level) - 1]))}"

    def reached(self) -> None:
        """Warn of the coordinate farthest from its goal, since scenarios share the travel of drives."""
        off = [
            (abs(t.goal[name] - value), i, name, value, t.goal[name])
            for i, run in enumerate(self.transcribed.runs[1:], start=1)
            for t in run
            if t.end.loose
            for name, value in (t.phase.goal or {}).items()
            if name in self.transcribed.dae.q_names
        ]
        away, scenario, name, asked, reached = max(off, default=(0.0, 0, "", 0.0, 0.0))
        if away > ROUNDING * max(1.0, abs(asked)):
            warn(
                f"Plan of '{self.transcribed.dae.name}': under shared inputs scenario {scenario} comes to rest at "
                f"{name} = {reached:.6g}, not at {asked:.6g}: winches and pistons travel alike, and loads stretch "
                "ropes and compress oil by different amounts. Plan scenarios separately to bring each to the goal.",
                SCENARIOS_APART,
            )


def scenario_parameters(transcribed: Any) -> np.ndarray:
    """Return the parameters (scenarios, np) of all scenarios."""
    dae = transcribed.dae
    values = np.tile(transcribed.p, (len(transcribed.runs), 1))
    for row, scenario in zip(values, transcribed.problem.scenarios or ({},), strict=True):
        for name, value in scenario.items():
            row[dae.p.index(name)] = value
    return values
