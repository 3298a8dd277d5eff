"""LaTeX code generation for a routine: an amsmath fragment, and a complete document."""

from __future__ import annotations

import re
from collections.abc import Mapping

from flexblocks.export.comment_text import latex_text
from flexblocks.export.equations.constants import latex_number
from flexblocks.export.equations.infix import Notation
from flexblocks.export.equations.routine import Result, Routine

CALLS = {name: f"\\{function}({{0}})" for name, function in {
    "SIN": "sin", "COS": "cos", "TAN": "tan", "ASIN": "arcsin", "ACOS": "arccos", "ATAN": "arctan",
    "SINH": "sinh", "COSH": "cosh", "TANH": "tanh", "LOG": "ln",
}.items()}  # fmt: skip
CALLS |= {name: rf"\operatorname{{{function}}}({{0}})" for name, function in {
    "ASINH": "arsinh", "ACOSH": "arcosh", "ATANH": "artanh", "SIGN": "sgn", "ERF": "erf",
}.items()}  # fmt: skip
CALLS |= {name: rf"\operatorname{{{function}}}({{0}}, {{1}})" for name, function in {
    "ATAN2": "atan2", "FMIN": "min", "FMAX": "max", "FMOD": "mod", "COPYSIGN": "copysign",
}.items()}  # fmt: skip
# Iverson brackets: 1 where the condition holds, else 0.
CALLS |= {name: rf"[{{0}} {sign} {{1}}]" for name, sign in {
    "LT": "<", "LE": r"\le", "EQ": "=", "NE": r"\ne", "AND": r"\wedge", "OR": r"\vee",
}.items()}  # fmt: skip
CALLS |= {
    "EXP": r"e^{{{0}}}",
    "EXPM1": r"(e^{{{0}}} - 1)",
    "LOG1P": r"\ln(1 + {0})",
    "SQRT": r"\sqrt{{{0}}}",
    "FABS": r"\left|{0}\right|",
    "FLOOR": r"\lfloor {0} \rfloor",
    "CEIL": r"\lceil {0} \rceil",
    "HYPOT": r"\sqrt{{({0})^{{2}} + ({1})^{{2}}}}",
    "POW": r"{{\left({0}\right)}}^{{{1}}}",
    "CONSTPOW": r"{{\left({0}\right)}}^{{{1}}}",
    "NOT": r"[\neg {0}]",
    "IF_ELSE_ZERO": r"{0}\,\left({1}\right)",
}

WIDEST = 90  # characters in a row of a matrix that still fits the page
MOST_COLUMNS = 10  # amsmath's default MaxMatrixCols


def notation(digits: int) -> Notation:
    """Return the LaTeX notation; numbers without a simple closed form are rounded to `digits` significant digits."""
    return Notation(
        number=lambda value: latex_number(value) or _rounded(value, digits),
        calls=CALLS,
        times=r"\,",
        quotient=r"\frac{{{0}}}{{{1}}}",
        fraction=True,
        square="{0}^{{2}}",
        parentheses=r"\left({0}\right)",
        subexpressions="s_{{{0}}}",
    )


def _rounded(value: float, digits: int) -> str:
    mantissa, _, exponent = f"{value:.{digits}g}".partition("e")
    return rf"{mantissa}\cdot 10^{{{int(exponent)}}}" if exponent else mantissa


def latex(routine: Routine, statement: str, most: int = 12, digits: int = 6) -> str:
    """Return the equations as displayed formulas; they need the amsmath package."""
    form = notation(digits)
    listing = routine.listing(form, most, formula=True)
    blocks = [rf"\[ {statement} \]"]
    for result, entries in zip(routine.results, listing.results, strict=True):
        blocks.append(_matrix(result, {place: form.write(term) for place, term in entries.items()}))
    if listing.assignments:
        lines = [rf"{name.text} &= {form.write(term)}" for name, term in listing.assignments]
        blocks.append("\\begin{align*}\n" + " \\\\\n".join(lines) + "\n\\end{align*}")
    return "\n".join(blocks) + "\n"


def _matrix(result: Result, entries: Mapping[tuple[int, int], str]) -> str:
    """Return a matrix in full if it fits the page, else its nonzero entries one by one."""
    rows, columns = result.shape
    if not entries:
        return rf"\[ {result.latex} = 0 \]"
    widths = [max(_width(entries.get((i, j), "0")) for i in range(rows)) for j in range(columns)]
    if sum(widths) + 2 * columns <= WIDEST and columns <= MOST_COLUMNS:
        lines = [" & ".join(entries.get((i, j), "0") for j in range(columns)) for i in range(rows)]
        inside = " \\\\\n".join(lines)
        return f"\\[ {result.latex} = \\begin{{bmatrix}}\n{inside}\n\\end{{bmatrix}} \\]"
    letter = result.latex.partition("(")[0]
    symmetric = rows == columns and all(entries.get((j, i)) == text for (i, j), text in entries.items())
    lines = []
    for (i, j), text in sorted(entries.items()):
        if symmetric and j < i:
            continue
        place = f"{i + 1}" if result.is_vector else f"{i + 1},{j + 1}"
        lines.append(f"[{letter}]_{{{place}}} &= {text}")
    rest = rf"\text{{all other entries of ${letter}$ are zero" + (", and it is symmetric}" if symmetric else "}")
    if len(entries) < rows * columns or symmetric:
        lines.append(f"& {rest}")
    return "\\begin{align*}\n" + " \\\\\n".join(lines) + "\n\\end{align*}"


def _width(text: str) -> int:
    """Return the approximate typeset width of a formula [characters]."""
    bare = re.sub(r"\\(frac|left|right|mathrm|operatorname|d?dot|,)|[{}_^\s]", "", text)
    return len(re.sub(r"\\[A-Za-z]+", "x", bare))


def latex_document(routine: Routine, fragment: str) -> str:
    """Return a complete document with the formulas and a table of symbols."""
    rows = [
        rf"${name.latex}$ & \texttt{{{latex_text(path)}}} & {latex_text(unit)} \\"
        for _, _, name, path, unit in routine.table()
    ]
    meanings = [rf"${result.latex}$ & {latex_text(result.meaning)} \\" for result in routine.results]
    return "\n".join(
        [
            r"\documentclass[10pt,a4paper]{article}",
            r"\usepackage[margin=15mm]{geometry}",
            r"\usepackage{amsmath}",
            r"\usepackage{longtable}",
            r"\allowdisplaybreaks",
            r"\begin{document}",
            rf"\section*{{{latex_text(routine.title)}}}",
            fragment.rstrip(),
            r"\subsection*{Parts}",
            r"\begin{longtable}{ll}",
            *meanings,
            r"\end{longtable}",
            r"\subsection*{Names}",
            r"\begin{longtable}{lll}",
            *rows,
            r"\end{longtable}",
            r"\end{document}",
            "",
        ]
    )
