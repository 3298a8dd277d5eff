"""The equations of a DAE as C functions."""

from __future__ import annotations

import casadi as ca
import numpy as np

from flexblocks.dae import DAE


def generated_equations(dae: DAE) -> str:
    """Return C source of the functions that ``c/equations.c`` calls.

    ``rates``, ``outputs`` and ``residual`` (with its Jacobian in z) take x, z, u, p; ``forward`` and ``reverse`` are
    their derivatives in one direction, and the gradient of a weighted sum of them.
    """
    point = [dae.x.symbol, dae.z.symbol, dae.u.symbol, dae.p.symbol]
    groups = ["x", "z", "u", "p"]
    rates, outputs, residual = (
        ca.densify(e) for e in (dae.rate_expression, dae.output_expression, dae.algebraic_expression)
    )
    everything = ca.vertcat(rates, outputs, residual)
    variables = ca.vertcat(*point)
    directions = [ca.SX.sym(f"{name}_direction", symbol.numel()) for name, symbol in zip(groups, point, strict=True)]
    weights = [ca.SX.sym(f"weight_{i}", e.numel()) for i, e in enumerate((rates, outputs, residual))]
    forward = _split(ca.jtimes(everything, variables, ca.vertcat(*directions)), weights)
    reverse = _split(ca.jtimes(everything, variables, ca.vertcat(*weights), True), point)
    generator = ca.CodeGenerator("generated.c")
    for name, arguments, results in (
        ("rates", point, [rates]),
        ("outputs", point, [outputs]),
        ("residual", point, [residual, ca.jacobian(residual, dae.z.symbol)]),
        ("forward", [*point, *directions], forward),
        ("reverse", [*point, *weights], reverse),
    ):
        generator.add(ca.Function(name, arguments, ca.cse([ca.densify(result) for result in results])))
    return generator.dump()


def _split(stacked: ca.SX, like: list[ca.SX]) -> list[ca.SX]:
    """Cut a column into parts as long as those of a list."""
    ends = np.cumsum([0, *(part.numel() for part in like)])
    return ca.vertsplit(ca.densify(stacked), ends.tolist())


def model_header(dae: DAE, identifier: str, token: str, kinds: tuple[str, ...], tolerance: float) -> str:
    """Return ``model.h``: sizes, start values and what else the C code has to know of the model."""
    sizes = {"N_X": dae.x, "N_U": dae.u, "N_P": dae.p, "N_Z": dae.z, "N_Y": dae.y}
    start = [repr(float(value)) for group in (dae.x, dae.u, dae.p, dae.z) for value in group.start]
    lines = [
        "/* What distinguishes this model. */",
        "#ifndef MODEL_H",
        "#define MODEL_H",
        "",
        f"#define MODEL_IDENTIFIER {identifier}",
        f'#define INSTANTIATION_TOKEN "{token}"',
        f"#define MODEL_EXCHANGE {int('ModelExchange' in kinds)}",
        f"#define CO_SIMULATION {int('CoSimulation' in kinds)}",
        f"#define TOLERANCE {tolerance!r} /* relative, of the integration in co-simulation */",
        "",
        f"enum {{ {', '.join(f'{name} = {len(group)}' for name, group in sizes.items())} }};",
        "",
        "/* x, u, p and z, each behind a comma. */",
        "#define START_VALUES \\",
        *(f"    , {value} \\" for value in start),
        "",
        "#endif",
    ]
    return "\n".join(lines) + "\n"
