"""Errors of models that are no nonlinear program, each also the Pyomo exception that Pyomo users catch."""

from __future__ import annotations

from pyomo.common.errors import InfeasibleConstraintException
from pyomo.contrib.solver.common.util import IncompatibleModelError

from flexblocks.errors import FlexblocksError


class UnsupportedModelError(FlexblocksError, IncompatibleModelError):
    """A Pyomo model that is not a smooth nonlinear program."""


class TrivialConstraintError(FlexblocksError, InfeasibleConstraintException):
    """A constraint without free variables that its constants violate."""
