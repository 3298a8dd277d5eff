"""Self-test of a controller in C: a program that steps it along a recorded run."""

from __future__ import annotations

import numpy as np

from flexblocks.export.controllers.recorded_run import RecordedRun
from flexblocks.export.controllers.source import Code
from flexblocks.export.equations.c_real import DOUBLE, FLOAT

# Relative to the largest value of a signal in the run.
TOLERANCES = {DOUBLE: 1e-12, FLOAT: 1e-4}


def self_test(code: Code, run: RecordedRun) -> str:
    """Return the C source of the program."""
    stem, real = code.stem, f"{code.stem}_real"
    tables = {"measured": run.measured, "reference": run.references, "expected": run.outputs}
    tables |= {"released": run.released} if code.releases else {}
    filled = {name: values for name, values in tables.items() if values.size}
    told = [f"{name}[k]" if name in filled else "NULL" for name in ("measured", "reference")]
    size = f"{code.output_prefix}_SIZE"
    steps = [
        f"        {stem}_step({', '.join(told)}, &state, outputs);",
        f'        failures += differs("{code.outputs}", k, outputs, &expected[0][0], {size});',
    ]
    if code.releases:
        steps += [
            f"        {stem}_release(&state, outputs);",
            f'        failures += differs("released {code.outputs}", k, outputs, &released[0][0], {size});',
        ]
    lines = [
        f"/* Steps the controller along a recorded run and compares what it computes, to {TOLERANCES[code.real]!r} of",
        "   the largest value of each signal. */",
        f'#include "{stem}.h"',
        "",
        "#include <math.h>",
        "#include <stdio.h>",
        "",
        f"enum {{ SAMPLES = {len(run.outputs)} }};",
        "",
        *(line for name, values in filled.items() for line in _table(code, name, values)),
        f"static int differs(const char *what, int k, const {real} *found, const {real} *table, int count)",
        "{",
        "    int i, j, wrong = 0;",
        "    for (i = 0; i < count; i++) {",
        "        const double wanted = (double)table[k*count + i];",
        "        double largest = 1e-300;",
        "        for (j = 0; j < SAMPLES; j++)",
        "            largest = fmax(largest, fabs((double)table[j*count + i]));",
        f"        if (!(fabs((double)found[i] - wanted) <= {TOLERANCES[code.real]!r}*largest)) {{",
        '            printf("sample %d, %s, entry %d: %.17g instead of %.17g\\n", k, what, i, (double)found[i],',
        "                   wanted);",
        "            wrong = 1;",
        "        }",
        "    }",
        "    return wrong;",
        "}",
        "",
        "int main(void)",
        "{",
        f"    {stem}_state state;",
        f"    {real} outputs[{size}];",
        "    int k, failures = 0;",
        f"    {stem}_init(&state);",
        "    for (k = 0; k < SAMPLES; k++) {",
        *steps,
        "    }",
        f'    printf("{stem}: %d samples, %d differences\\n", (int)SAMPLES, failures);',
        "    return failures != 0;",
        "}",
    ]
    return "\n".join(lines) + "\n"


def _table(code: Code, name: str, values: np.ndarray) -> list[str]:
    rows = [f"    {{{', '.join(code.real.number(float(value)) for value in row)}}}," for row in values]
    return [f"static const {code.stem}_real {name}[SAMPLES][{values.shape[1]}] = {{", *rows, "};", ""]
