"""Obstacles, lines and other path constraints: lifted first, then kept at a price, then kept."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from ...infeasibility.penalty import ROOM, Penalty, excess_of_paths, lifted
from ...ipopt_options import OWN_STEP, SAME_MOTION
from ...model.initial_guess import set_guess
from ...model.trajectories import all_phase_trajectories
from ...problem.path_constraints import Follow
from ...tolerances import FEASIBLE
from ..guesses.detour import detour
from ..guesses.line_guess import postures_on_line
from ..relaxation import Found, Relaxation
from ..request import Request

LIFTED = math.inf  # the level at which they cost nothing; else it is the inverse of their price
HIGHER = 10.0  # factor from price to price: a high one from the start ends in worse optima more often
HIGHEST = 1e3  # price that is still tried, relative to the objective without them
# Share of a violation that a price ten times as high may leave: deep in a wall all ways out are as long.
STUCK = 0.9
# Likewise of the first price far from a line, from which on a guess along it comes before higher ones: where the motion
# is nearly there these mostly bring it to the line in 20 iterations each. By trial.
FAR = 0.25


class Obstacles(Relaxation):
    """Path constraints that may be lifted.

    A motion without them shows which way to go; it is drawn out of what it violates by a penalty. Where points follow
    a line to which the smooth motion is near, the first guess lies along it, and they are kept from the beginning.
    """

    name = "obstacles"

    def __init__(self, asked: Request, model: Any) -> None:
        super().__init__(asked, model)
        self._lines = [postures_on_line(traj.transcription) for traj in all_phase_trajectories(model)] * self._applies
        self.is_led = self._applies and all(line is not None for line in self._lines)
        self.is_raised_first = self._applies and not (self.is_led and all(line.is_near for line in self._lines if line))
        if self.is_led and not self.is_raised_first:
            self._go_along(model)
        # A few postures on a curve are no better a start than the motion without it
        self._leads_along = self.is_led and self.is_raised_first and all(map(_is_straight, self.transcribed.first))
        self._is_along = self.is_led and not self.is_raised_first

    @property
    def _applies(self) -> bool:
        return any(lifted(t) for run in self.transcribed.runs for t in run)

    def easier(self, request: Request, level: float) -> float:
        return LIFTED if self._applies and not level else 0.0

    def keeps(self, found: Found) -> bool:
        return found.levels[self.name] == LIFTED and excess_of_paths(found.model) <= 0

    def lower(self, found: Found) -> float | None:
        level = found.levels[self.name]
        if level == LIFTED:
            return 1.0
        left = (1 + ROOM) * found.violation
        if left <= FEASIBLE:
            return 0.0
        is_stuck = left > (STUCK if level < 1 else FAR if self._leads_along else 1.0)
        return None if is_stuck or level <= 1 / HIGHEST else level / HIGHER

    def at(self, request: Request, level: float) -> Request:
        return replace(request, penalty=Penalty("paths", 0.0 if level == LIFTED else 1 / level))

    def words(self, level: float) -> str:
        if level == LIFTED:
            return "without obstacles"
        return f"with obstacles at {1 / level:g} times the price of the motion" if level else "with obstacles"

    def options(self, found: Found, target: float) -> dict[str, Any]:
        if found.levels[self.name] == LIFTED:
            return {}
        return super().options(found, target) if target else dict(SAME_MOTION)

    def guess_options(self) -> dict[str, Any]:
        return dict(OWN_STEP) if self._is_along else {}

    def restarts(self) -> Iterator[tuple[str, Callable[[Any], None]]]:
        if self._leads_along:
            self._leads_along, self._is_along = False, True
            yield "along its line", self._go_along
            self._is_along = False
        yield "from a detour", _go_around

    def level_of(self, model: Any) -> float:
        return 1.0 if excess_of_paths(model) > 0 else 0.0

    def _go_along(self, model: Any) -> None:
        for traj, line in zip(all_phase_trajectories(model), self._lines, strict=True):
            set_guess(traj.block, traj.transcription, line.postures if line else ())


def _go_around(model: Any) -> None:
    for traj in all_phase_trajectories(model):
        set_guess(traj.block, traj.transcription, detour(traj.transcription))


def _is_straight(t: Any) -> bool:
    return all(len(constraint.points) == 2 for constraint in t.path.constraints if isinstance(constraint, Follow))
