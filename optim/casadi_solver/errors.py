"""Errors of the solver, each also the Pyomo exception that Pyomo users catch."""

from __future__ import annotations

from pyomo.common.errors import InfeasibleConstraintException
from pyomo.contrib.solver.common.util import IncompatibleModelError, NoOptimalSolutionError

from flexblocks.errors import ComputationError, FlexblocksError


class UnsupportedModelError(FlexblocksError, IncompatibleModelError):
    """A Pyomo model that is not a smooth nonlinear program."""


class TrivialConstraintError(FlexblocksError, InfeasibleConstraintException):
    """A constraint without free variables that its constants violate."""


class SolverOptionError(FlexblocksError):
    """An option that IPOPT does not know or cannot take."""


class NotOptimalError(ComputationError, NoOptimalSolutionError):
    """IPOPT stopped before an optimum; the last iterate is kept.

    Attributes
    ----------
    results : pyomo.contrib.solver.common.results.Results
        What the solve would have returned; ``results.solution_loader`` holds the last iterate.
    """

    def __init__(self, message: str, results=None):
        super().__init__(message)
        self.results = results
