"""Export of the equations of motion in a chosen form, as a value or a file."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from flexblocks.dae.dae import DAE
from flexblocks.dae.require_differentiable import require_expressions
from flexblocks.errors import FileFormatError, ParameterError, listing, suggestion
from flexblocks.export.equations.c import c
from flexblocks.export.equations.grouping import grouped_parts
from flexblocks.export.equations.jax_form import jax_equations
from flexblocks.export.equations.latex import latex, latex_document
from flexblocks.export.equations.matlab import matlab
from flexblocks.export.equations.names import RESERVED
from flexblocks.export.equations.parts import Equations, equation_parts
from flexblocks.export.equations.python import python
from flexblocks.export.equations.routine import equations_routine, names_of
from flexblocks.export.equations.sympy_form import sympy_equations
from flexblocks.files import write_text
from flexblocks.rich_display import LatexText

CODE = {"python": python, "c": c, "matlab": matlab}
FORMS = ("latex", "sympy", *CODE, "jax", "casadi")
GROUPINGS = (None, "joint-elastic")
SUFFIXES = {".tex": "latex", ".py": "python", ".c": "c", ".m": "matlab"}


def equations(
    dae: DAE,
    form: str,
    *,
    grouping: Literal["joint-elastic"] | None = None,
    elastic: Sequence[str] | None = None,
    names: Mapping[str, str] | None = None,
    name: str = "equations",
) -> Any:
    """Return the equations of motion of an arm, M a + c + g + k + d = B u, in one of several forms.

    M is the inertia matrix (n, n), c the Coriolis and centrifugal forces (n), g weight, k the forces of springs and
    bent beams, d damping and friction, B the input map (n, nu); forces of first-order states and algebraic variables
    follow as r (n), and where forces are not linear in the inputs, Q (n) stands in place of B u + r. Parameters that
    the DAE keeps symbolic are symbols, the rest numbers. Common subexpressions are named s1, s2, ....

    Parameters
    ----------
    dae : DAE
        ``fb.assemble(model, symbolic="all")`` keeps every parameter as a symbol.
    form : str
        * ``"latex"``: displayed formulas for amsmath, numbers rounded to six digits;
        * ``"sympy"``: `SymbolicEquations`, matrices of SymPy expressions (needs the extra ``symbolic``);
        * ``"python"``, ``"c"``, ``"matlab"``: source of one function; Python needs NumPy only, C is C99, MATLAB is
          Octave, too;
        * ``"jax"``: `JaxEquations`, a function that JAX transforms, and its source (needs the extra ``jax``);
        * ``"casadi"``: `Equations`, SX expressions of the DAE's symbols.
    grouping : "joint-elastic", optional
        Blocks by joint and elastic coordinates, M_thth, M_thf, M_ff, H_thth, ..., as Yu & Chen (2019) write them; see
        `grouped_parts`.
    elastic : sequence of str, optional
        With that grouping, the elastic coordinates; by default those with an index, such as ``link1.bending_y[1]``.
    names : dict of str, optional
        Custom names for coordinates, rates, inputs and parameters: ``{"joint1.angle": "phi_1"}``; rates are named
        after their coordinates. In LaTeX a name may also be a formula.
    name : str
        Name of the generated function.

    Returns
    -------
    str, SymbolicEquations, JaxEquations or Equations

    Raises
    ------
    ParameterError
        The form, the grouping or a name is invalid, or the model contains an operation that the form cannot express.
    NameUnknownError
        `names` or `elastic` contains a variable that the arm does not have.
    FlexblocksError
        SymPy, or JAX, is not installed.

    Examples
    --------
    >>> import flexblocks as fb
    >>> from flexblocks import export, models
    >>> dae = fb.assemble(models.subudhi_morris_2002(modes=0, joints="rigid"), symbolic="all")
    >>> print(export.equations(dae, "sympy")["M"][1, 1])
    J_2*n_2**2 + J_payload + L_2**3*rho_2/3 + L_2**2*m_payload
    """
    if form not in FORMS:
        raise ParameterError(f"equations: form = {form!r}{suggestion(form, FORMS, 'must be one of')}")
    parts = _parts(dae, grouping, elastic)
    if form == "casadi":
        return parts
    routine = equations_routine(parts, names_of(dae, names, formula=form == "latex"))
    if form == "latex":
        return LatexText(latex(routine, parts.statement))
    if form == "sympy":
        return sympy_equations(routine, parts.plain)
    if form == "jax":
        return jax_equations(routine, checked_identifier(name), parts.plain)
    return CODE[form](routine, checked_identifier(name), parts.plain)


def save_equations(
    dae: DAE,
    path: str | Path,
    *,
    grouping: Literal["joint-elastic"] | None = None,
    elastic: Sequence[str] | None = None,
    names: Mapping[str, str] | None = None,
) -> None:
    """Write the equations of motion to a file; the arguments are those of `equations`.

    Parameters
    ----------
    dae : DAE
    path : str or Path
        ``.tex`` for a complete LaTeX document with a table of names, ``.py``, ``.c`` or ``.m`` for code; the function
        is named after the file.

    Raises
    ------
    FileFormatError
        The suffix is none of these.
    """
    path = Path(path)
    if path.suffix not in SUFFIXES:
        raise FileFormatError(f"save_equations: {path}: suffix '{path.suffix}'; must be one of {listing(SUFFIXES)}.")
    form = SUFFIXES[path.suffix]
    parts = _parts(dae, grouping, elastic)
    routine = equations_routine(parts, names_of(dae, names, formula=form == "latex"))
    if form == "latex":
        text = latex_document(routine, latex(routine, parts.statement))
    else:
        text = CODE[form](routine, checked_identifier(path.stem), parts.plain)
    write_text(path, text)


def checked_identifier(name: str) -> str:
    """Return the name of the function to generate, after checking that it is valid in every language.

    Raises
    ------
    ParameterError
        The name is not an identifier, or is a reserved word of one of the languages.
    """
    if not re.fullmatch(r"[A-Za-z]\w*", name, flags=re.ASCII) or name in RESERVED:
        raise ParameterError(
            f"equations: function name {name!r}; must be letters, digits and underscores, starting with a letter, and "
            "no word that a language keeps for itself."
        )
    return name


def _parts(dae: DAE, grouping: str | None, elastic: Sequence[str] | None) -> Equations:
    if grouping not in GROUPINGS:
        raise ParameterError(f"equations: grouping = {grouping!r}; must be 'joint-elastic' or None.")
    if grouping is None and elastic is not None:
        raise ParameterError("equations: elastic is for grouping='joint-elastic' only; give that too.")
    require_expressions(dae, "equations")
    return grouped_parts(dae, elastic) if grouping else equation_parts(dae)
