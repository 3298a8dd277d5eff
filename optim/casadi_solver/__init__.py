"""Solve Pyomo models with CasADi: a grey box of mapped CasADi functions and IPOPT as ``SolverFactory("casadi")``.

Importing this package registers the solver. It needs no robot arm, no compiler and no executable.
"""

from .greyboxes.errors import GreyBoxError
from .greyboxes.greybox import CasadiGreyBox, attach
from .greyboxes.kernel import Kernel, Pattern
from .ipopt.errors import NotOptimalError, SolverOptionError
from .ipopt.persistent import CasadiPersistentSolver
from .ipopt.solver import CasadiSolver
from .ipopt.watch import Iteration
from .program.errors import TrivialConstraintError, UnsupportedModelError

__all__ = [
    "CasadiGreyBox",
    "CasadiPersistentSolver",
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
