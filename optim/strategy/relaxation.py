"""Relaxation: a family of easier problems that leads to the requested one."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from ..ipopt_options import NEIGHBOR
from ..model.trajectories import transcribed_problem
from ..results.plan import Plan
from .request import Request

LEAST_STEP = 0.87  # ratio of two levels from which on no smaller step is tried; by trial


@dataclass(frozen=True, eq=False)
class Found:
    """A member of the family that was solved.

    Attributes
    ----------
    plan : Plan
    model : ConcreteModel
        With its solution.
    request : Request
        What it was made of.
    levels : dict of float
        Of the relaxations that are in it, by name.
    violation : float
        Of limits with a penalty the largest that is left, relative to that at the start; 0 without one.
    """

    plan: Plan
    model: Any
    request: Request
    levels: Mapping[str, float]
    violation: float = 0.0


class Relaxation(ABC):
    """A family of easier problems, by their level: at 0 it is the requested one.

    Each kind has its own file with all that is specific to it, so that a new one is a new file and a line in
    `flexblocks.optim.strategy.relaxations.table`.

    Parameters
    ----------
    asked : Request
    model : ConcreteModel
        Of the requested problem, with the first guess.

    Attributes
    ----------
    name : str
    stays : bool
        Whether a plan may end with it.
    keeps_limits : bool
        Whether what is found with it is a motion of the requested arm, within all limits.
    changes_arm : bool
        Whether it is of another arm than that requested, whose plan is then its motion.
    is_raised_first : bool
        Whether a first solve without it is known to be in vain, or to take longer.
    trial : int or None
        Iterations of a first solve without it; by default its share of the budget.
    """

    name: ClassVar[str]
    stays: ClassVar[bool] = False
    keeps_limits: ClassVar[bool] = False
    changes_arm: ClassVar[bool] = False
    is_raised_first: bool = False
    trial: int | None = None

    def __init__(self, asked: Request, model: Any) -> None:
        self.asked, self.model, self.transcribed = asked, model, transcribed_problem(model)

    @abstractmethod
    def easier(self, request: Request, level: float) -> float:
        """Return the next level that is easier, for a request with the other relaxations; 0 if there is none."""

    def lower(self, found: Found) -> float | None:
        """Return the next level towards the requested problem: the same if a plan may end there; None for none."""
        return 0.0

    def shorten(self) -> bool:
        """Take a shorter step after a failure; return whether there is one."""
        return False

    def lengthen(self, iterations: int) -> None:  # noqa: B027  (most have no steps)
        """Take a longer step after a solve that took so many iterations."""

    @abstractmethod
    def at(self, request: Request, level: float) -> Request:
        """Return a request at a level > 0."""

    @abstractmethod
    def words(self, level: float) -> str:
        """Return in words what is solved at a level."""

    def options(self, found: Found, target: float) -> dict[str, Any]:
        """Return IPOPT's options for the step from what was found to a level."""
        return dict(NEIGHBOR)

    def guess_options(self) -> dict[str, Any]:
        """Return what IPOPT's options for a first guess have to be, because of what it relaxes."""
        return {}

    def most(self, found: Found) -> int | None:
        """Return the iterations of such a step; by default its share of the budget."""
        return None

    def keeps(self, found: Found) -> bool:
        """Whether what was found solves the requested problem, too, without another solve."""
        return False

    def observe(self, found: Found) -> None:  # noqa: B027  (most need none)
        """Take note of what was found."""

    def restarts(self) -> Iterator[tuple[str, Callable[[Any], None]]]:
        """Yield other first guesses to go on from where no step is left: in words, and how to set a model to them."""
        yield from ()

    def level_of(self, model: Any) -> float:
        """Return the level at which such a first guess is a start."""
        return 0.0

    def conclude(self, plan: Plan, found: Found) -> Plan:
        """Return the plan that ends with it, and warn of it."""
        return plan

    def reached(self) -> None:  # noqa: B027  (most have nothing to report)
        """Warn of what the plan is, where it was raised and taken back to zero."""


class ContinuousRelaxation(Relaxation):
    """A relaxation whose level falls by a factor, which is smaller after easy steps, and nearer to 1 after failures.

    Attributes
    ----------
    step, longest_step : float
        First factor, and the smallest; 0 is all the way at once.
    least_level : float
        From which on the next step is all the way.
    easy : int
        Iterations up to which a step was easy.
    """

    step: float
    longest_step: float
    least_level: float
    easy: int

    def lower(self, found: Found) -> float:
        target = found.levels[self.name] * self.step
        return target if target > self.least_level else 0.0

    def shorten(self) -> bool:
        self.step = math.sqrt(self.step) if self.step else 0.1
        return self.step < LEAST_STEP

    def lengthen(self, iterations: int) -> None:
        if iterations <= self.easy:
            self.step = max(self.step**1.5, self.longest_step)
