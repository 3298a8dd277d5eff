"""Self-test in C: a program that checks the exported functions against CasADi's results."""

from __future__ import annotations

import numpy as np

from flexblocks.export.equations.c import array
from flexblocks.export.equations.c_functions import Exported
from flexblocks.export.equations.c_real import DOUBLE, FLOAT, Real
from flexblocks.export.equations.routine import Argument

POINTS = 3  # evaluation points per function in the self-test
# Relative to the largest entry of a result. Accelerations lose the digits that the mass matrix's condition costs.
TOLERANCES = {DOUBLE: 1e-12, FLOAT: 1e-3}


def self_test(stem: str, functions: list[Exported], real: Real) -> str:
    """Return the C source of a program that checks each function against reference values stored in it."""
    blocks = [
        f'#include "{stem}.h"\n\n#include <math.h>\n#include <stdio.h>',
        "\n".join(
            [
                f"typedef {real.name} real;",
                "",
                "static int differs(const char *name, const real *computed, const real *expected, int count)",
                "{",
                "    double largest = 1e-300;",
                "    int i, wrong = 0;",
                "    for (i = 0; i < count; i++)",
                "        if (fabs((double)expected[i]) > largest)",
                "            largest = fabs((double)expected[i]);",
                "    for (i = 0; i < count; i++)",
                f"        if (!(fabs((double)computed[i] - (double)expected[i]) <= {TOLERANCES[real]!r}*largest)) {{",
                '            printf("%s, entry %d: %.17g instead of %.17g\\n", name, i, (double)computed[i],',
                "                   (double)expected[i]);",
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
            blocks.append(_test(f"test_{function.name}_{point}", function, random, real))
            calls.append(f"    failures += test_{function.name}_{point}();")
    main = ["int main(void)", "{", "    int failures = 0;", *calls]
    main += [f'    printf("{stem}: %d of {len(calls)} tests failed\\n", failures);', "    return failures != 0;", "}"]
    return "\n\n".join([*blocks, "\n".join(main)]) + "\n"


def _test(name: str, function: Exported, random: np.random.Generator, real: Real) -> str:
    """Return a C function that checks one call against CasADi's result."""
    routine = function.routine
    results = [(i, result) for i, result in enumerate(routine.results) if 0 not in result.shape]
    values = [_nearby(argument, random) for argument in routine.arguments]
    expected = routine.function.call(values)
    lines = [f"static int {name}(void)", "{"]
    for argument, value in zip(routine.arguments, values, strict=True):
        lines.append(f"    static const {real.name} {argument.letter}[{len(value)}] = {_braces(value, real)};")
    for i, result in results:
        size = expected[i].numel()
        values_there = _braces(expected[i].full().ravel(), real)
        lines.append(f"    static const {real.name} {result.name}_expected[{size}] = {values_there};")
    lines += [f"    {real.name} {array(result)};" for _, result in results]
    lines.append("    int wrong = 0;")
    call_arguments = [*(argument.letter for argument in routine.arguments), *(result.name for _, result in results)]
    lines.append(f"    {function.name}({', '.join(call_arguments)});")
    for i, result in results:
        first = f"{result.name}" if result.is_vector else f"&{result.name}[0][0]"
        what = f'"{function.name}: {result.name}"'
        lines.append(f"    wrong |= differs({what}, {first}, {result.name}_expected, {expected[i].numel()});")
    return "\n".join([*lines, "    return wrong;", "}"])


def _nearby(argument: Argument, random: np.random.Generator) -> np.ndarray:
    """Return random values near the start values; parameters keep their signs, zero ones become positive."""
    start = argument.start
    if argument.letter == "p":
        return np.where(start == 0, 0.05, start) * random.uniform(0.9, 1.1, len(start))
    return start + random.uniform(-0.5, 0.5, len(start))


def _braces(values: np.ndarray, real: Real) -> str:
    return "{" + ", ".join(real.number(float(value)) for value in values) + "}"
