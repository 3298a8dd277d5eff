"""Exceptions and warnings of motion planning."""

from __future__ import annotations

from typing import Any

from flexblocks.errors import ComputationError, FlexblocksError, FlexblocksWarning


class ProblemError(FlexblocksError):
    """A malformed or infeasible planning problem, refused before anything is solved."""


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
