"""A whole arm as C: equations and functions of the DAE in a source and a header, with a program that tests them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from flexblocks.dae import DAE
from flexblocks.errors import FileFormatError
from flexblocks.export.equations.c import array, body, comment, prototype
from flexblocks.export.equations.parts import equation_parts
from flexblocks.export.equations.routine import Argument, Routine, equations_routine, function_routine, names_of
from flexblocks.export.equations.write import checked_identifier

POINTS = 3  # stored values in the self-test
TOLERANCE = 1e-12  # relative to the largest number of a result

FUNCTIONS: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "inverse_dynamics": ("Inverse dynamics", {"force": "generalised input force M a + c + g + k + d"}),
    "forward_dynamics": ("Forward dynamics", {"dx": "time derivative of x"}),
    "output": ("Outputs", {"y": ""}),
    "energy": ("Energy", {"kinetic": "kinetic energy [J]", "potential": "potential energy [J]"}),
}


@dataclass(frozen=True)
class _Exported:
    """One C function."""

    name: str
    routine: Routine
    statement: str


def c_code(dae: DAE, path: str | Path, names: Mapping[str, str] | None = None) -> tuple[Path, Path, Path]:
    """Write an arm as C99: a header, a source, and a program that compares the source with stored values.

    Parameters
    ----------
    dae : DAE
    path : str or Path
        ``arm.c``; beside it come ``arm.h`` and ``arm_test.c``.
    names : dict of str, optional
        Names of your own for variables, see `equations`.

    Returns
    -------
    tuple of Path
        Source, header, self-test. ``cc -std=c99 arm.c arm_test.c -lm -o arm_test && ./arm_test`` says whether every
        function agrees with flexblocks to 1e-12 of its largest entry, by its exit code, too.

    Raises
    ------
    FileFormatError
        Another suffix.
    ParameterError
        The name of the file is no identifier, or the model computes with an operation that C does not have.

    Notes
    -----
    Functions are ``arm_equations``, ``arm_inverse_dynamics``, ``arm_forward_dynamics``, ``arm_output`` and
    ``arm_energy``; they take and fill arrays, allocate nothing and may be called from several threads at once.
    """
    path = Path(path)
    if path.suffix != ".c":
        raise FileFormatError(f"c_code: {path}: suffix '{path.suffix}'; must be .c.")
    stem = checked_identifier(path.stem)
    functions = _exported(dae, stem, names)
    texts = {
        path: _source(stem, functions),
        path.with_suffix(".h"): _header(stem, functions),
        path.with_name(f"{stem}_test.c"): _self_test(stem, functions),
    }
    for file, text in texts.items():
        file.write_text(text, encoding="utf-8")
    source, header, test = texts
    return source, header, test


def _exported(dae: DAE, stem: str, chosen: Mapping[str, str] | None) -> list[_Exported]:
    parts = equation_parts(dae)
    names = names_of(dae, chosen)
    found = [_Exported(f"{stem}_equations", equations_routine(parts, names), parts.plain)]
    outputs = ", ".join(f"{name} [{unit}]" for name, unit in zip(dae.y.names, dae.y.units, strict=True))
    for name, (title, meanings) in FUNCTIONS.items():
        function = getattr(dae, name)
        if all(function.numel_out(i) for i in range(function.n_out())):
            said = {result: meaning or outputs for result, meaning in meanings.items()}
            routine = function_routine(dae, function, f"{title} of {dae.name}", said, names)
            found.append(_Exported(f"{stem}_{name}", routine, ""))
    return found


def _header(stem: str, functions: list[_Exported]) -> str:
    guard = f"{stem.upper()}_H"
    blocks = [f"{comment(f.routine, f.statement)}\n{prototype(f.routine, f.name)};" for f in functions]
    start = f'#ifndef {guard}\n#define {guard}\n\n#ifdef __cplusplus\nextern "C" {{\n#endif'
    return "\n\n".join([start, *blocks, "#ifdef __cplusplus\n}\n#endif\n\n#endif"]) + "\n"


def _source(stem: str, functions: list[_Exported]) -> str:
    return (
        "\n\n".join([f'#include "{stem}.h"\n\n#include <math.h>', *(body(f.routine, f.name) for f in functions)]) + "\n"
    )


def _self_test(stem: str, functions: list[_Exported]) -> str:
    """Return a program with arguments and results, stored as numbers."""
    blocks = [
        f'#include "{stem}.h"\n\n#include <math.h>\n#include <stdio.h>',
        "\n".join(
            [
                "static int differs(const char *name, const double *found, const double *expected, int count)",
                "{",
                "    double largest = 1e-300;",
                "    int i, wrong = 0;",
                "    for (i = 0; i < count; i++)",
                "        if (fabs(expected[i]) > largest)",
                "            largest = fabs(expected[i]);",
                "    for (i = 0; i < count; i++)",
                f"        if (!(fabs(found[i] - expected[i]) <= {TOLERANCE!r}*largest)) {{",
                '            printf("%s, entry %d: %.17g instead of %.17g\\n", name, i, found[i], expected[i]);',
                "            wrong = 1;",
                "        }",
                "    return wrong;",
                "}",
            ]
        ),
    ]
    calls = []
    random = np.random.default_rng(0)
    for function in functions:
        for point in range(1, POINTS + 1):
            blocks.append(_test(f"test_{function.name}_{point}", function, random))
            calls.append(f"    failures += test_{function.name}_{point}();")
    main = ["int main(void)", "{", "    int failures = 0;", *calls]
    main += [f'    printf("{stem}: %d of {len(calls)} tests failed\\n", failures);', "    return failures != 0;", "}"]
    return "\n\n".join([*blocks, "\n".join(main)]) + "\n"


def _test(name: str, function: _Exported, random: np.random.Generator) -> str:
    """Return a C function that compares one call with what CasADi computes."""
    routine = function.routine
    results = [(i, result) for i, result in enumerate(routine.results) if 0 not in result.shape]
    values = [_nearby(argument, random) for argument in routine.arguments]
    expected = routine.function.call(values)
    lines = [f"static int {name}(void)", "{"]
    for argument, value in zip(routine.arguments, values, strict=True):
        lines.append(f"    static const double {argument.letter}[{len(value)}] = {_braces(value)};")
    for i, result in results:
        size = expected[i].numel()
        lines.append(f"    static const double {result.name}_expected[{size}] = {_braces(expected[i].full().ravel())};")
    lines += [f"    double {array(result)};" for _, result in results]
    lines.append("    int wrong = 0;")
    given = [*(argument.letter for argument in routine.arguments), *(result.name for _, result in results)]
    lines.append(f"    {function.name}({', '.join(given)});")
    for i, result in results:
        first = f"{result.name}" if result.is_vector else f"&{result.name}[0][0]"
        what = f'"{function.name}: {result.name}"'
        lines.append(f"    wrong |= differs({what}, {first}, {result.name}_expected, {expected[i].numel()});")
    return "\n".join([*lines, "    return wrong;", "}"])


def _nearby(argument: Argument, random: np.random.Generator) -> np.ndarray:
    """Return values near the start; parameters keep their signs, and those that are zero become positive."""
    start = argument.start
    if argument.letter == "p":
        return np.where(start == 0, 0.05, start) * random.uniform(0.9, 1.1, len(start))
    return start + random.uniform(-0.5, 0.5, len(start))


def _braces(values: np.ndarray) -> str:
    return "{" + ", ".join(repr(float(value)) for value in values) + "}"
