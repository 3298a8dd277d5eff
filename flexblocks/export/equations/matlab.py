"""MATLAB and Octave code generation for a routine."""

from __future__ import annotations

from flexblocks.export.comment_text import comment_text
from flexblocks.export.equations.infix import Notation
from flexblocks.export.equations.routine import Routine

CALLS = {name: f"{function}({{0}})" for name, function in {
    "SIN": "sin", "COS": "cos", "TAN": "tan", "ASIN": "asin", "ACOS": "acos", "ATAN": "atan",
    "SINH": "sinh", "COSH": "cosh", "TANH": "tanh", "ASINH": "asinh", "ACOSH": "acosh", "ATANH": "atanh",
    "EXP": "exp", "LOG": "log", "EXPM1": "expm1", "LOG1P": "log1p", "SQRT": "sqrt", "FABS": "abs", "SIGN": "sign",
    "FLOOR": "floor", "CEIL": "ceil", "ERF": "erf",
}.items()}  # fmt: skip
CALLS |= {name: f"{function}({{0}}, {{1}})" for name, function in {
    "ATAN2": "atan2", "HYPOT": "hypot", "FMIN": "min", "FMAX": "max", "FMOD": "rem",
}.items()}  # fmt: skip
CALLS |= {name: f"({{0}} {sign} {{1}})" for name, sign in {
    "LT": "<", "LE": "<=", "EQ": "==", "NE": "~=", "AND": "&&", "OR": "||",
}.items()}  # fmt: skip
CALLS |= {"POW": "(({0})^({1}))", "CONSTPOW": "(({0})^({1}))", "NOT": "(~({0}))"}
# A product with the condition would turn an infinity in the branch not taken into a NaN.
CALLS |= {"IF_ELSE_ZERO": "ifelse_zero({0}, {1})"}
HELPER = "\n\nfunction y = ifelse_zero(condition, x)\ny = 0;\nif condition\n  y = x;\nend\nend"

NOTATION = Notation(
    number=lambda value: repr(float(value)).removesuffix(".0"),
    calls=CALLS,
    square="{0}^2",
)


def matlab(routine: Routine, name: str, statement: str, most: int = 12) -> str:
    """Return a MATLAB function file, to be saved as ``<name>.m``."""
    listing = routine.listing(NOTATION, most)
    letters = ", ".join(argument.letter for argument in routine.arguments)
    names = ", ".join(result.name for result in routine.results)
    lines = [
        f"function [{names}] = {name}({letters})",
        f"% {comment_text(routine.title)}: {statement}",
        "%",
        "% Results:",
    ]
    lines += [f"%   {result.name} {_size(result.shape)}: {comment_text(result.meaning)}" for result in routine.results]
    lines += ["%", "% Arguments:"]
    lines += [
        f"%   {letter}({i + 1})  {readable.identifier}  {comment_text(f'{path} [{unit}]')}"
        for letter, i, readable, path, unit in routine.table()
    ]
    for entry in routine.program.entries:
        letter = routine.arguments[entry.argument].letter
        lines.append(f"{routine.name(entry).identifier} = {letter}({entry.index + 1});")
    lines += [f"{target.text} = {NOTATION.write(term)};" for target, term in listing.assignments]
    for result, entries in zip(routine.results, listing.results, strict=True):
        lines.append(f"{result.name} = zeros({result.shape[0]}, {result.shape[1]});")
        for (row, column), term in sorted(entries.items()):
            lines.append(f"{result.name}({row + 1}, {column + 1}) = {NOTATION.write(term)};")
    text = "\n".join([*lines, "end"])
    return text + (HELPER if "ifelse_zero(" in text else "") + "\n"


def _size(shape: tuple[int, int]) -> str:
    return f"({shape[0]} x {shape[1]})"
