"""C99 code generation for a routine."""

from __future__ import annotations

from flexblocks.export.comment_text import comment_text
from flexblocks.export.equations.c_real import DOUBLE, FLOAT, Real
from flexblocks.export.equations.infix import Level, Notation
from flexblocks.export.equations.routine import Argument, Result, Routine

NOTATIONS = {
    real: Notation(number=real.number, calls=real.calls, square="{0}*{0}", square_level=Level.PRODUCT)
    for real in (DOUBLE, FLOAT)
}


def prototype(routine: Routine, name: str, real: Real = DOUBLE) -> str:
    """Return the function prototype, without the semicolon."""
    arguments = [f"const {real.name} {_declared(argument)}" for argument in routine.arguments]
    results = [f"{real.name} {array(result)}" for result in routine.results if 0 not in result.shape]
    return f"void {name}({', '.join([*arguments, *results])})"


def _declared(argument: Argument) -> str:
    return f"{argument.letter}[{len(argument.variables)}]"


def array(result: Result) -> str:
    """Return the C array declarator of a result: ``M[8][8]``."""
    return f"{result.name}[{result.shape[0]}]" + ("" if result.is_vector else f"[{result.shape[1]}]")


def comment(routine: Routine, statement: str) -> str:
    """Return the header comment: what the routine computes, and the layout of its arguments."""
    title = comment_text(routine.title)
    lines = [f"{title}: {statement}" if statement else title, "", "Results:"]
    lines += [f"  {array(result)}: {comment_text(result.meaning)}" for result in routine.results]
    lines += ["Arguments:"]
    lines += [
        f"  {letter}[{i}]  {readable.identifier}  {comment_text(f'{path} [{unit}]')}"
        for letter, i, readable, path, unit in routine.table()
    ]
    return "/* " + "\n * ".join(lines).replace(" * \n", " *\n") + " */"


def body(routine: Routine, name: str, most: int = 12, real: Real = DOUBLE) -> str:
    """Return the function definition."""
    notation = NOTATIONS[real]
    listing = routine.listing(notation, most)
    lines = [prototype(routine, name, real), "{"]
    for entry in routine.program.entries:
        letter = routine.arguments[entry.argument].letter
        lines.append(f"    const {real.name} {routine.name(entry).identifier} = {letter}[{entry.index}];")
    lines += [f"    const {real.name} {target.text} = {notation.write(term)};" for target, term in listing.assignments]
    lines += [f"    (void){letter};" for letter in routine.unused]
    for result, entries in zip(routine.results, listing.results, strict=True):
        for row in range(result.shape[0]):
            for column in range(result.shape[1]):
                term = entries.get((row, column))
                value = real.number(0.0) if term is None else notation.write(term)
                place = f"[{row}]" if result.is_vector else f"[{row}][{column}]"
                lines.append(f"    {result.name}{place} = {value};")
    return "\n".join([*lines, "}"])


def c(routine: Routine, name: str, statement: str, most: int = 12) -> str:
    """Return a C source file that defines one function, `name`."""
    parts = [
        comment(routine, statement),
        "#include <math.h>",
        f"{prototype(routine, name)};",
        body(routine, name, most),
    ]
    return "\n\n".join(parts) + "\n"
