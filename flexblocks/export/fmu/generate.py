"""C code generation for an FMU: equations, sensitivities and sizes of a DAE."""

from __future__ import annotations

from collections.abc import Mapping

import casadi as ca
import numpy as np

from flexblocks.constraints.loop_equations import closed_mass
from flexblocks.constraints.singularities.singular_mass import LARGE, generic_inertia
from flexblocks.constraints.singularities.singular_posture import HINGE
from flexblocks.dae.dae import DAE
from flexblocks.dynamics.tree.charts import chart_functions
from flexblocks.export.fmu.names import string_literal
from flexblocks.export.fmu.states import changes, states


def generated_equations(dae: DAE) -> str:
    """Return C source of ``rates``, ``outputs``, ``residual`` with its Jacobian, ``changes``, ``charts`` and ``mass``.

    All are functions of x, z, u, p. x is [continuous states, discrete states]; rates are those of the continuous
    states, changes the increments of x at a tick of each clock, charts the distances from the borders of all charts
    and the increments of x that lead to the next one of each; the mass matrix is that of `regular_mass`.
    """
    order = list(states(dae).order)
    point, (rates, outputs, residual) = _point(dae), _expressions(dae)
    jacobian = ca.jacobian(residual, dae.z.symbol)
    return _source("equations", {"rates": (point, [rates]), "outputs": (point, [outputs])} | {
        "residual": (point, [residual, jacobian]),
        "changes": (point, [change[order] for change in changes(dae)] or [ca.SX(0, 1)]),
        "charts": (point, _charts(dae, order)),
        "mass": (point, [_mass(dae)]),
    })  # fmt: skip


def generated_sensitivities(dae: DAE) -> str:
    """Return C source of directional derivatives (``forward``) and adjoint derivatives (``reverse``)."""
    point, expressions = _point(dae), _expressions(dae)
    everything, variables = ca.vertcat(*expressions), ca.vertcat(*point)
    directions = [ca.SX.sym(f"direction_{i}", symbol.numel()) for i, symbol in enumerate(point)]
    weights = [ca.SX.sym(f"weight_{i}", e.numel()) for i, e in enumerate(expressions)]
    forward = _split(ca.jtimes(everything, variables, ca.vertcat(*directions)), weights)
    reverse = _split(ca.jtimes(everything, variables, ca.vertcat(*weights), True), point)
    functions = {"forward": ([*point, *directions], forward), "reverse": ([*point, *weights], reverse)}
    return _source("sensitivities", functions)


def _point(dae: DAE) -> list[ca.SX]:
    return [dae.x.symbol[list(states(dae).order)], dae.z.symbol, dae.u.symbol, dae.p.symbol]


def _expressions(dae: DAE) -> list[ca.SX]:
    rates = dae.expressions.rate[list(states(dae).continuous)]
    return [ca.densify(e) for e in (rates, dae.expressions.output, dae.expressions.algebraic)]


def _charts(dae: DAE, order: list[int]) -> list[ca.SX]:
    """Return the distances (k) from the borders of the charts, and the increment of x to the next of each."""
    called = [chart.call([dae.q, dae.v, dae.p.symbol], True, False) for chart in chart_functions(dae.tree)]
    rest = ca.SX(dae.w.numel(), 1)
    moved = [ca.vertcat(q - dae.q, v - dae.v, rest)[order] for _, _, q, v in called]
    return [ca.vertcat(*[distance for distance, *_ in called], ca.SX(0, 1)), *moved]


def _watched(dae: DAE) -> int:
    """Return the number of coordinates whose mass matrix the FMU looks at; those of large arms would take too long."""
    return dae.tree.size if dae.tree.size <= LARGE else 0


def _mass(dae: DAE) -> ca.SX:
    """Return the mass matrix (n, n), regular unless the posture is singular."""
    if not _watched(dae):
        return ca.SX(0, 1)
    return (
        closed_mass(dae).call(dae.posture_symbols, True, False)[0] if dae.tree.loops.closures else dae.expressions.mass
    )


def _source(name: str, functions: Mapping[str, tuple[list[ca.SX], list[ca.SX]]]) -> str:
    generator = ca.CodeGenerator(f"{name}.c")
    for function, (arguments, results) in functions.items():
        generator.add(ca.Function(function, arguments, ca.cse([ca.densify(result) for result in results])))
    return generator.dump()


def _split(stacked: ca.SX, like: list[ca.SX]) -> list[ca.SX]:
    """Split a column into pieces of the lengths of those in a list."""
    ends = np.cumsum([0, *(part.numel() for part in like)])
    return ca.vertsplit(ca.densify(stacked), ends.tolist())


def model_header(dae: DAE, identifier: str, token: str, kinds: tuple[str, ...], tolerance: float) -> str:
    """Return ``model.h``: sizes, start values, clocks and identifiers of the model."""
    partition = states(dae)
    sizes = {
        "N_X": partition.continuous,
        "N_D": partition.discrete,
        "N_U": dae.u,
        "N_P": dae.p,
        "N_Z": dae.z,
        "N_Y": dae.y,
    }
    sizes |= {"N_M": range(_watched(dae))}
    sizes |= {"N_CLOCKS": dae.clocks, "N_CHARTS": chart_functions(dae.tree)}
    groups = (dae.x.start[list(partition.order)], dae.u.start, dae.p.start, dae.z.start)
    start = [repr(float(value)) for group in groups for value in group]
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
        "/* Period and offset of each clock [s], behind a comma. */",
        "#define CLOCK_VALUES \\",
        *(f"    , {{{float(clock.period)!r}, {float(clock.offset)!r}}} \\" for clock in dae.clocks),
        "",
        "/* What the inertia of the weakest motion is away from singular postures. */",
        f"#define GENERIC_INERTIA {generic_inertia(dae) if _watched(dae) else 0.0!r}",
        "",
        "/* Name, unit and joint of each coordinate, a comma behind each. */",
        "#define COORDINATE_VALUES \\",
        *(f"    {entry}, \\" for entry in _coordinates(dae)),
        "",
        "#endif",
    ]
    return "\n".join(lines) + "\n"


def _coordinates(dae: DAE) -> list[str]:
    """Return name, unit and joint of each coordinate whose mass the FMU looks at, as C initialisers."""
    names = dae.q_names[: _watched(dae)]
    hinges = [HINGE.fullmatch(name) for name in names]
    joints = [hinge[1] if hinge else "" for hinge in hinges]
    rows = zip(names, dae.x.units, joints, strict=False)
    return [f"{{{', '.join(map(string_literal, row))}}}" for row in rows]
