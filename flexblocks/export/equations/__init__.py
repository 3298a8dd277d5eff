"""Equations of motion as formulas and as code."""

from flexblocks.export.equations.c_files import c_code
from flexblocks.export.equations.parts import Equations, Part
from flexblocks.export.equations.sympy_form import SymbolicEquations
from flexblocks.export.equations.write import equations, save_equations

__all__ = ["Equations", "Part", "SymbolicEquations", "c_code", "equations", "save_equations"]
