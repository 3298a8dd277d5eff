"""Solve Pyomo models with CasADi: a grey box of mapped CasADi functions and IPOPT as ``SolverFactory("casadi")``.

Importing this package registers the solver. It needs no robot arm, no compiler and no executable.
"""

from .attach import attach
from .errors import GreyBoxError, NotOptimalError, SolverOptionError, TrivialConstraintError, UnsupportedModelError
from .greybox import CasadiGreyBox
from .kernel import Kernel, Pattern
from .persistent import CasadiPersistentSolver
from .solver import CasadiSolver
from .watch import Iteration

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
