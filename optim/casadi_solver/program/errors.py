"""Errors of models that are not smooth nonlinear programs, each also the corresponding Pyomo exception."""

from __future__ import annotations

from pyomo.common.errors import InfeasibleConstraintException
from pyomo.contrib.solver.common.util import IncompatibleModelError, NoOptimalSolutionError, NoSolutionError

from flexblocks.errors import FlexblocksError


class UnsupportedModelError(FlexblocksError, IncompatibleModelError):
    """A Pyomo model that is not a smooth nonlinear program."""


class TrivialConstraintError(FlexblocksError, InfeasibleConstraintException, NoOptimalSolutionError, NoSolutionError):
    """A violated constraint without free variables, or crossed bounds: the model is trivially infeasible."""
