"""Exceptions and warnings of motion planning."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flexblocks.errors import ComputationError, FlexblocksError, FlexblocksWarning


class ProblemError(FlexblocksError):
    """A malformed planning problem, or one that start, goal and limits show to have no solution."""


class OutOfReachError(ProblemError):
    """A start or goal that no posture of the arm reaches.

    Attributes
    ----------
    asked : dict of float
        The values that were requested, by name.
    short : float
        Remaining distance of the nearest posture found [m, or the unit of the values].
    """

    def __init__(self, message: str, asked: Mapping[str, float], short: float) -> None:
        super().__init__(message)
        self.asked, self.short = dict(asked), short


class PlanWarning(FlexblocksWarning):
    """A plan that can be computed but should not be taken at face value."""


class PlanError(ComputationError):
    """The solver stopped before it reached an optimum.

    Attributes
    ----------
    plan : Plan
        The last iterate, in the form of a plan; or, ``"feasible, not optimal"``, the nearest motion within all limits.
    violations : tuple of Violation
        Its constraint violations, worst first.
    report : Conflict or None
        The conflicting limits, if the failure was traced to them; see `optim.diagnose`.
    """

    def __init__(self, message: str, plan: Any = None, violations: tuple = (), report: Any = None) -> None:
        super().__init__(message)
        self.plan = plan
        self.violations = violations
        self.report = report
