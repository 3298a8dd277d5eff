"""Export of model predictive control as a controller in C, which needs no other library."""

from __future__ import annotations

import re

import numpy as np

from flexblocks.control.close_loop import close_loop
from flexblocks.dae.dae import DAE
from flexblocks.errors import ParameterError
from flexblocks.export.comment_text import comment_text
from flexblocks.export.controllers.enumerators import enumeration
from flexblocks.optim.receding.mpc import MPC
from flexblocks.simulation.simulate import simulate

# Samples that the self-test takes, and how far commands may be off in other arithmetic, as a share of their limits.
SAMPLES, NEAR = 200, 1e-4


def receding_files(mpc: MPC, dae: DAE, sample_time: float, stem: str) -> dict[str, str]:
    """Return header, source and self-test of a controller, by what follows their stem.

    Raises
    ------
    ParameterError
        Another sample time than its own, or a solver that needs a library.
    """
    if sample_time != mpc.sample_time:
        raise ParameterError(
            f"controller: sample_time = {sample_time!r}, but the MPC has {mpc.sample_time!r} s; must be the same."
        )
    if mpc.solver != "condensed":
        raise ParameterError(
            f"controller: the MPC has solver={mpc.solver!r}; must be 'condensed', which needs no library."
        )
    return {".h": _header(mpc, stem), ".c": _source(mpc, stem), "_test.c": _self_test(mpc, dae, stem)}


def _source(mpc: MPC, stem: str) -> str:
    text = mpc.controller_source(stem)
    text = re.sub(r"\barm_(\w+)", rf"{stem}_arm_\1", text)
    text = re.sub(r"\bCASADI_SYMBOL_EXPORT int (\w+_arm_)", r"static int \1", text)
    return f'#include "{stem}.h"\n{text}'


def _header(mpc: MPC, stem: str) -> str:
    prefix = stem.upper()
    u, references = mpc.dae.u, mpc.reference_variables
    inputs = u.take([u.index(name) for name in mpc.driven])
    groups = [
        enumeration(f"{prefix}_MEASURED", mpc.dae.x, "What is measured or estimated: the states"),
        enumeration(f"{prefix}_REFERENCE", references, "References; those known ahead are inside, others are passed"),
        enumeration(f"{prefix}_INPUT", inputs, "Inputs of the arm"),
    ]  # fmt: skip
    return "\n".join(
        [
            f"/* {comment_text(str(mpc))}: a step every {mpc.sample_time:g} s, delay {mpc.delay:g} s. */",
            f"#ifndef {prefix}_H",
            f"#define {prefix}_H",
            "#ifdef __cplusplus",
            'extern "C" {',
            "#endif",
            *groups,
            f"/* The state of a run, {prefix}_STATE_SIZE numbers. */",
            f"enum {{ {prefix}_STATE_SIZE = {mpc.memory_size} }};",
            f"int {stem}_state_size(void);",
            f"void {stem}_init(double *state);",
            *_clock(mpc, stem),
            "/* One sample; no memory is taken. Not to be called from several threads at once. */",
            f"int {stem}_step(const double *measured, const double *reference, double *state, double *inputs);",
            *_release(mpc, stem),
            "#ifdef __cplusplus",
            "}",
            "#endif",
            "#endif",
            "",
        ]
    )


def _release(mpc: MPC, stem: str) -> list[str]:
    if mpc.release is None:
        return []
    return [
        "/* Commands take effect between samples: call it this long after each step [s]; it fills the inputs. */",
        f"#define {stem.upper()}_RELEASE_TIME {mpc.release!r}",
        f"void {stem}_release(const double *state, double *inputs);",
    ]


def _clock(mpc: MPC, stem: str) -> list[str]:
    if mpc.deadline is None:
        return []
    return [
        f"/* A monotonic clock [s], yours, by which a step that takes longer than {mpc.deadline:g} s falls back on the",
        "   plan before; 0, as it is at first, for none. */",
        f"extern double (*{stem}_clock)(void);",
    ]


def _self_test(mpc: MPC, dae: DAE, stem: str) -> str:
    """Return a program that steps along a run of the closed loop; its exit code is 0 if all commands agree."""
    loop = close_loop(dae, mpc.without_deadline())
    times = mpc.sample_time * np.arange(SAMPLES + 1)
    run = simulate(loop, times, u=None, progress=False)
    # What is measured at a sample is there before its tick, which changes states of controllers alone.
    measured = np.column_stack([run[name] for name in mpc.dae.x.names])
    held = np.column_stack([run[f"held.{name}"] for name in mpc.driven])
    names = mpc.reference_variables.names
    references = np.column_stack([run[n] if n in run else np.zeros(len(times)) for n in names])
    released = [
        f"        {stem}_release(state, inputs);",
        f"        for (int i = 0; i < {held.shape[1]}; i++) {{",
        "            const double off = fabs(inputs[i] - u[k + 1][i]) / size[i];",
        "            if (!(off <= worst)) worst = off;",
        "        }",
    ]
    sizes = [float(limit) if np.isfinite(limit) else 1.0 for limit in np.abs(held).max(axis=0) + 1e-12]
    lines = [
        f'#include "{stem}.h"',
        "#include <math.h>",
        "#include <stdio.h>",
        *(_table(label, values) for label, values in (("x", measured), ("r", references), ("u", held))),
        f"static const double size[] = {{{', '.join(map(repr, sizes))}}};",
        "int main(void) {",
        f"    static double state[{stem.upper()}_STATE_SIZE], inputs[{held.shape[1]}];",
        "    double worst = 0.0;",
        f"    if ({stem}_state_size() != {stem.upper()}_STATE_SIZE) return 2;",
        f"    {stem}_init(state);",
        f"    for (int k = 0; k < {len(times) - 1}; k++) {{",
        f"        if ({stem}_step(x[k], r[k], state, inputs)) return 3;",
        f"        for (int i = 0; i < {held.shape[1]}; i++) {{",
        "            const double off = fabs(inputs[i] - u[k][i]) / size[i];",
        "            if (!(off <= worst)) worst = off;",
        "        }",
        *(released if mpc.release is not None else []),
        "    }",
        '    printf("largest difference of commands: %.3g of the largest\\n", worst);',
        f"    return worst <= {NEAR!r} ? 0 : 1;",
        "}",
        "",
    ]
    return "\n".join(lines)


def _table(label: str, values: np.ndarray) -> str:
    rows = ",\n    ".join("{" + ", ".join(repr(float(value)) for value in row) + "}" for row in values)
    return f"static const double {label}[][{values.shape[1]}] = {{\n    {rows}\n}};"
