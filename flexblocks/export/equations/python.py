"""Python code generation for a routine, with NumPy only."""

from __future__ import annotations

from flexblocks.export.comment_text import comment_text
from flexblocks.export.equations.infix import Notation
from flexblocks.export.equations.routine import Routine

CALLS = {name: f"np.{function}({{0}})" for name, function in {
    "SIN": "sin", "COS": "cos", "TAN": "tan", "ASIN": "arcsin", "ACOS": "arccos", "ATAN": "arctan",
    "SINH": "sinh", "COSH": "cosh", "TANH": "tanh", "ASINH": "arcsinh", "ACOSH": "arccosh", "ATANH": "arctanh",
    "EXP": "exp", "LOG": "log", "EXPM1": "expm1", "LOG1P": "log1p", "SQRT": "sqrt", "FABS": "abs", "SIGN": "sign",
    "FLOOR": "floor", "CEIL": "ceil", "NOT": "logical_not",
}.items()}  # fmt: skip
CALLS |= {name: f"np.{function}({{0}}, {{1}})" for name, function in {
    "ATAN2": "arctan2", "HYPOT": "hypot", "FMIN": "fmin", "FMAX": "fmax", "FMOD": "fmod", "COPYSIGN": "copysign",
    "POW": "float_power", "CONSTPOW": "float_power", "AND": "logical_and", "OR": "logical_or",
}.items()}  # fmt: skip
CALLS |= {name: f"({{0}} {sign} {{1}})" for name, sign in {"LT": "<", "LE": "<=", "EQ": "==", "NE": "!="}.items()}
CALLS |= {"IF_ELSE_ZERO": "np.where({0}, {1}, 0.0)"}

NOTATION = Notation(number=lambda value: repr(float(value)).removesuffix(".0"), calls=CALLS)


def python(routine: Routine, name: str, statement: str, most: int = 12) -> str:
    """Return a Python module that defines one function, `name`."""
    listing = routine.listing(NOTATION, most)
    letters = ", ".join(argument.letter for argument in routine.arguments)
    returned = ", ".join(f"{result.name} {result.size}" for result in routine.results)
    lines = ['"""' + f"{comment_text(routine.title)}: {statement}", *arguments_and_results(routine)]
    lines += ['"""', "", "import numpy as np", "", "", f"def {name}({letters}):"]
    lines += [f'    """Return {returned}."""']
    for entry in routine.program.entries:
        lines.append(
            f"    {routine.name(entry).identifier} = {routine.arguments[entry.argument].letter}[{entry.index}]"
        )
    lines += [f"    {target.text} = {NOTATION.write(term)}" for target, term in listing.assignments]
    for result, entries in zip(routine.results, listing.results, strict=True):
        shape = result.shape[0] if result.is_vector else result.shape
        lines.append(f"    {result.name} = np.zeros({shape})")
        for (row, column), term in sorted(entries.items()):
            place = f"{row}" if result.is_vector else f"{row}, {column}"
            lines.append(f"    {result.name}[{place}] = {NOTATION.write(term)}")
    lines.append(f"    return {', '.join(result.name for result in routine.results)}")
    return "\n".join(lines) + "\n"


def arguments_and_results(routine: Routine) -> list[str]:
    """Return the lines of a docstring that name the results and the entries of the arguments."""
    lines = ["", "Results:", ""]
    lines += [f"    {result.name} {result.size}: {comment_text(result.meaning)}" for result in routine.results]
    lines += ["", "Arguments:", ""]
    return lines + [
        f"    {letter}[{i}]  {readable.identifier}  {comment_text(f'{path} [{unit}]')}"
        for letter, i, readable, path, unit in routine.table()
    ]
