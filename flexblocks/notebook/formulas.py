"""Equations of motion as formulas that a notebook typesets."""

from __future__ import annotations

from flexblocks.export.equations.latex import latex as formulas
from flexblocks.export.equations.parts import Equations
from flexblocks.export.equations.routine import equations_routine, names_of
from flexblocks.export.equations.sympy_form import SymbolicEquations


def latex(shown: Equations | SymbolicEquations) -> str:
    """Return equations of motion in LaTeX: the statement, its matrices, the common subexpressions."""
    if isinstance(shown, Equations):
        return formulas(equations_routine(shown, names_of(shown.dae, formula=True)), shown.statement)
    import sympy

    lines = [rf"\text{{{shown.statement}}}"]
    lines += [rf"{sympy.latex(sympy.Symbol(name))} &= {sympy.latex(part)}" for name, part in shown.matrices.items()]
    lines += [rf"{sympy.latex(symbol)} &= {sympy.latex(value)}" for symbol, value in shown.subexpressions]
    first, *rest = lines
    return f"\\[ {first} \\]\n\\begin{{align*}}\n" + " \\\\\n".join(rest) + "\n\\end{align*}\n"
