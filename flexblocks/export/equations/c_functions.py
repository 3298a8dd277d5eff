"""Functions of an arm that can be exported to C, and the selection among them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import casadi as ca

from flexblocks.dae.dae import DAE
from flexblocks.dae.require_differentiable import require_expressions
from flexblocks.dynamics.tree.clock import Clock
from flexblocks.errors import NameUnknownError, ParameterError, listing, suggestion
from flexblocks.export.equations.parts import equation_parts
from flexblocks.export.equations.routine import (
    Routine,
    arguments_of,
    equations_routine,
    function_routine,
    names_of,
)

# Functions exported by default.
USUAL = ("equations", "inverse_dynamics", "forward_dynamics", "output", "energy")
# Title of each function of a DAE, and the meaning of its results.
FUNCTIONS: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "mass_matrix": ("Mass matrix", {"M": "mass matrix M(q)"}),
    "inverse_dynamics": ("Inverse dynamics", {"force": "generalised input force M a + c + g + k + d"}),
    "input_force": ("Forces of the inputs", {"force": "generalised input force"}),
    "forward_dynamics": ("Forward dynamics", {"dx": "time derivative of x"}),
    "output": ("Outputs", {"y": ""}),
    "energy": ("Energy", {"kinetic": "kinetic energy [J]", "potential": "potential energy [J]"}),
    "algebraic": ("Algebraic equations", {"g": "residuals, zero along every motion"}),
    "motion": (
        "Motion", {"dX": "time derivative of x, and power of the applied forces [W]", "g": "residuals of z"}
    ),
}  # fmt: skip


@dataclass(frozen=True)
class Exported:
    """A C function to be generated: its name, its routine and the equation it implements."""

    name: str
    routine: Routine
    statement: str


def exported(
    dae: DAE, stem: str, chosen: Mapping[str, str] | None, wanted: Iterable[str | ca.Function] | None
) -> list[Exported]:
    """Return the functions to generate; by default the usual ones, and the updates of sampled controllers.

    Raises
    ------
    NameUnknownError, ParameterError
        See `flexblocks.export.c_code`.
    """
    require_expressions(dae, "c_code")
    names, updates = names_of(dae, chosen), _updates(dae)
    selected = []
    for one in (*USUAL, *updates) if wanted is None else wanted:
        if isinstance(one, str) and one == "equations":
            parts = equation_parts(dae)
            selected.append(Exported(f"{stem}_equations", equations_routine(parts, names), parts.plain))
            continue
        if isinstance(one, str) and one in updates:
            function, clock = updates[one]
            title = f"Update of {dae.name} at t = {clock.offset:.9g} s + k {clock.period:.9g} s, k an integer"
            routine = function_routine(dae, function, title, {"x_after": "x after the tick"}, names)
            selected.append(Exported(f"{stem}_{one}", routine, ""))
            continue
        function = _function(dae, one, updates)
        if any(function.numel_out(i) for i in range(function.n_out())):
            title, meanings = _descriptions(dae, function, isinstance(one, str))
            routine = function_routine(dae, function, f"{title} of {dae.name}", meanings, names)
            selected.append(Exported(f"{stem}_{function.name()}", routine, ""))
    repeated = [f.name for i, f in enumerate(selected) if f.name in {other.name for other in selected[:i]}]
    if repeated:
        raise ParameterError(f"c_code: functions: {listing(repeated)} would be there twice; name it otherwise.")
    return selected


def _updates(dae: DAE) -> dict[str, tuple[ca.Function, Clock]]:
    """Return for each clock the function (x, z, u, p) -> x after its tick, and the clock, by name."""
    symbols = [dae.x.symbol, dae.z.symbol, dae.u.symbol, dae.p.symbol]
    updates = {}
    for number, clock in enumerate(dae.clocks, 1):
        name = "update" if number == 1 else f"update_{number}"
        after = ca.densify(dae.x.symbol + clock.change(*symbols))
        updates[name] = ca.Function(name, symbols, [after], ["x", "z", "u", "p"], ["x_after"]), clock
    return updates


def _function(dae: DAE, wanted: str | ca.Function, updates: Iterable[str]) -> ca.Function:
    """Return a function of the DAE by name, or a user-defined one after checking its arguments."""
    if isinstance(wanted, str):
        if wanted not in FUNCTIONS:
            known = ("equations", *FUNCTIONS, *updates)
            raise NameUnknownError(f"c_code: functions: there is no '{wanted}'{suggestion(wanted, known)}")
        return getattr(dae, wanted)
    groups = arguments_of(dae)
    for letter in wanted.name_in():
        size = len(groups[letter].variables) if letter in groups else None
        if wanted.size_in(letter) != (size, 1):
            expected = ", ".join(f"{name} ({len(group.variables)})" for name, group in groups.items())
            raise ParameterError(
                f"c_code: functions: {wanted.name()} takes '{letter}' of size {wanted.size_in(letter)}; "
                f"arguments must be vectors among {expected}."
            )
    return wanted


def _descriptions(dae: DAE, function: ca.Function, is_of_dae: bool) -> tuple[str, dict[str, str]]:
    """Return the title of a function and the meanings of its results; for a user-defined one, its names."""
    if not is_of_dae:
        return function.name(), {name: name for name in function.name_out()}
    title, meanings = FUNCTIONS[function.name()]
    outputs = ", ".join(f"{name} [{unit}]" for name, unit in zip(dae.y.names, dae.y.units, strict=True))
    return title, {result: meaning or outputs for result, meaning in meanings.items()}
