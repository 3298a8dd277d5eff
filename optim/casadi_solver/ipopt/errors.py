"""Errors of a solve: options, and termination without an optimum."""

from __future__ import annotations

from pyomo.contrib.solver.common.util import NoOptimalSolutionError

from flexblocks.errors import ComputationError, FlexblocksError


class SolverOptionError(FlexblocksError):
    """An unknown option of IPOPT, or an invalid value."""


class NotOptimalError(ComputationError, NoOptimalSolutionError):
    """IPOPT stopped before it reached an optimum; the last iterate is kept.

    Attributes
    ----------
    results : pyomo.contrib.solver.common.results.Results
        What the solve would have returned; ``results.solution_loader`` holds the last iterate.
    """

    def __init__(self, message: str, results=None):
        super().__init__(message)
        self.results = results
