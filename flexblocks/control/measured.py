"""Measured variables: states and outputs of an arm by name, and their rates."""

from __future__ import annotations

from dataclasses import dataclass, replace

import casadi as ca

from flexblocks.control.sensing.sensed_arm import SensedArm
from flexblocks.dae.dae import DAE
from flexblocks.errors import NameUnknownError, ParameterError, listing


@dataclass(frozen=True, eq=False)
class Measured:
    """A measured variable: its value as an expression in the symbols of the DAE, its unit, and its start value."""

    name: str
    value: ca.SX
    unit: str
    start: float


def measured(dae: DAE, name: str, where: str) -> Measured:
    """Return a state, algebraic variable or output by name, or the motion of a frame (see `DAE.with_outputs`).

    Raises
    ------
    NameUnknownError
        The arm has no such variable.
    """
    if isinstance(dae, SensedArm):
        variable = measured(dae.arm, name, where)
        return replace(variable, value=dae.seen(name, variable.value, variable.unit))
    for group in (dae.x, dae.z):
        if name in group:
            i = group.index(name)
            return Measured(name, group.symbol[i], group.units[i], float(group.start[i]))
    known = (*dae.x.names, *dae.z.names, *dae.y.names)
    if name in (*dae.u.names, *dae.p.names):
        raise NameUnknownError(f"{where}: there is no state or output '{name}' to measure ({listing(known)}).")
    try:
        seen = dae.with_outputs(name)
    except NameUnknownError as error:
        raise NameUnknownError(f"{where}: nothing to measure: {error}") from None
    i = seen.y.index(name)
    return Measured(name, seen.expressions.output[i], seen.y.units[i], 0.0)


def signal(dae: DAE, name: str, where: str) -> Measured:
    """Return what `measured` does, or the rate ``der(...)`` of a state or output that depends on the coordinates alone.

    Raises
    ------
    FlexblocksError
        There is no such variable, or it has no rate that can be measured.
    """
    if not name.startswith("der(") or name in dae.x:
        return measured(dae, name, where)
    variable = measured(dae, name[4:-1], where)
    return Measured(name, rate_of(dae, variable, where), f"{variable.unit}/s", 0.0)


def rate_of(dae: DAE, variable: Measured, where: str) -> ca.SX:
    """Return the time derivative of a measured variable that depends on the coordinates alone.

    Raises
    ------
    ParameterError
        It depends on anything but the coordinates.
    """
    if isinstance(dae, SensedArm):
        rate = rate_of(dae.arm, measured(dae.arm, variable.name, where), where)
        return dae.seen(f"der({variable.name})", rate, f"{variable.unit}/s")
    others = ca.vertcat(dae.x.symbol[dae.tree.size :], dae.z.symbol, dae.u.symbol)
    if ca.depends_on(variable.value, others):
        raise ParameterError(
            f"{where}: '{variable.name}' has no rate that can be measured: it does not depend on the coordinates "
            f"({listing(dae.q_names)}) alone. Measure a variable that does, or leave out the derivative term."
        )
    return ca.densify(ca.jtimes(variable.value, dae.q, dae.v))
