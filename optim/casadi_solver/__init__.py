"""Pyomo solver on CasADi: IPOPT as ``SolverFactory("casadi")``, and grey boxes of mapped CasADi functions.

Importing this package registers the solver. It requires neither a robot arm nor a compiler nor an IPOPT executable.
"""

from .greyboxes.errors import GreyBoxError
from .greyboxes.greybox import CasadiGreyBox, attach
from .greyboxes.kernel import Kernel, Pattern
from .ipopt.errors import NotOptimalError, SolverOptionError
from .ipopt.solver import CasadiSolver
from .ipopt.watch import Iteration
from .program.errors import TrivialConstraintError, UnsupportedModelError

__all__ = [
    "CasadiGreyBox",
    "CasadiSolver",
    "GreyBoxError",
    "Iteration",
    "Kernel",
    "NotOptimalError",
    "Pattern",
    "SolverOptionError",
    "TrivialConstraintError",
    "UnsupportedModelError",
    "attach",
]
