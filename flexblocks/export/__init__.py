"""Export: FMUs; linear models for MATLAB, Python and JSON; equations as formulas and code; controllers in C."""

from flexblocks.export.controllers import controller
from flexblocks.export.equations import c_code, equations, save_equations
from flexblocks.export.fmu import fmu
from flexblocks.export.grid import save_grid
from flexblocks.export.linear import linear_schema, save_linear
from flexblocks.export.report import report
from flexblocks.public_calls import guard

__all__ = [
    "c_code",
    "controller",
    "equations",
    "fmu",
    "linear_schema",
    "report",
    "save_equations",
    "save_grid",
    "save_linear",
]

guard(__name__, __all__)
