"""What planning refuses, and what it reports when no optimum is found."""

from __future__ import annotations

from typing import Any

from flexblocks.errors import ComputationError, FlexblocksError, FlexblocksWarning


class ProblemError(FlexblocksError):
    """A planning problem that is malformed or cannot be met; nothing was computed yet."""


class PlanWarning(FlexblocksWarning):
    """A plan that can be made, but will not be what it seems."""


class PlanError(ComputationError):
    """The solver stopped before an optimum.

    Attributes
    ----------
    plan : Plan
        The last iterate, as if it were the plan.
    violations : tuple of Violation
        What stands against it, worst first.
    report : Conflict or None
        The limits that cannot all be kept, where that is why; see `optim.diagnose`.
    """

    def __init__(self, message: str, plan: Any = None, violations: tuple = (), report: Any = None) -> None:
        super().__init__(message)
        self.plan = plan
        self.violations = violations
        self.report = report
