"""Scalar variables of an FMU: the table behind ModelVariables and the value references."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.errors import NameUnknownError, ParameterError, listing, suggestion
from flexblocks.export.fmu.names import rate_of, structured
from flexblocks.export.fmu.states import states


@dataclass(frozen=True)
class FmuVariable:
    """A scalar variable of modelDescription.xml.

    Attributes
    ----------
    name : str
        In the structured naming convention.
    reference : int
        Its value reference: its index in ``values`` of the C code.
    unit : str
        In the notation of flexblocks.
    causality, variability : str
    initial : str
        ``"exact"``, ``"approx"``, ``"calculated"``; empty for the independent variable and for inputs.
    start : float or None
    description : str
    state : int or None
        Value reference of the state that it is the time derivative of.
    low, high : float
        Least and greatest admissible value; infinite if there is no limit.
    role : str
        Of an input, see `flexblocks.interfaces.Variable`; an annotation of the variable.
    """

    name: str
    reference: int
    unit: str
    causality: str
    variability: str = "continuous"
    initial: str = "calculated"
    start: float | None = None
    description: str = ""
    state: int | None = None
    low: float = -np.inf
    high: float = np.inf
    role: str = ""


@dataclass(frozen=True)
class Table:
    """The variables of an FMU, and the value references of the states, rates and outputs in its ModelStructure.

    Attributes
    ----------
    variables : tuple of FmuVariable
        In the order of the XML.
    states, rates, outputs : tuple of int
        The k-th rate is the time derivative of the k-th continuous state. The rate of a coordinate is a state itself.
    x, d, u, p, z, dx, y : int
        First value reference of each group; d are the discrete states.
    """

    variables: tuple[FmuVariable, ...]
    states: tuple[int, ...]
    rates: tuple[int, ...]
    outputs: tuple[int, ...]
    x: int
    d: int
    u: int
    p: int
    z: int
    dx: int
    y: int


def table(dae: DAE, outputs: Sequence[str] | None, clipped: np.ndarray) -> Table:
    """Return the table of variables of the FMU of a DAE.

    Parameters
    ----------
    dae : DAE
    outputs : sequence of str or None
        Names of outputs, states and algebraic variables that become outputs of the FMU; None for the outputs.
    clipped : ndarray (nu,)
        Magnitude to which the FMU clips each input; infinite where it does not.

    Raises
    ------
    NameUnknownError, ParameterError
        An unknown output, or two variables with the same name.
    """
    chosen = _chosen(dae, outputs)
    arranged = states(dae)
    nx = len(arranged.continuous)
    names = [dae.x.names[i] for i in arranged.order]
    x, d = 1, 1 + nx
    u = x + len(names)
    p, z = u + len(dae.u), u + len(dae.u) + len(dae.p)
    dx, y = z + len(dae.z), z + len(dae.z) + nx

    # The rate of a coordinate is itself a state, as its name says.
    place = {name: x + i for i, name in enumerate(names)}
    rates = [place.get(f"der({name})", dx + i) for i, name in enumerate(names[:nx])]
    state = {rate: x + i for i, rate in enumerate(rates)}

    def causality(name: str) -> str:
        return "output" if name in chosen else "local"

    declared = [FmuVariable("time", 0, "s", "independent", initial="", description="time")]
    for i, place_in_x in enumerate(arranged.order):
        name, unit, start = dae.x.names[place_in_x], dae.x.units[place_in_x], float(dae.x.start[place_in_x])
        kind = ("continuous", "state") if i < nx else ("discrete", "discrete state, of a sampled controller")
        declared.append(
            FmuVariable(
                structured(name), x + i, unit, causality(name), kind[0], "exact", start, kind[1], state.get(x + i)
            )
        )
    inputs = zip(dae.u.names, dae.u.units, dae.u.start, dae.u.roles, strict=True)
    for i, (name, unit, start, role) in enumerate(inputs):
        limit = float(dae.u.limits[i]) if len(dae.u.limits) else np.inf
        clip = f", clipped to {clipped[i]:.9g} {unit} either way" if clipped[i] < np.inf else ""
        declared.append(
            FmuVariable(
                structured(name),
                u + i,
                unit,
                "input",
                initial="",
                start=float(start),
                description=f"input, {role.replace('_', ' ')}{clip}",
                low=-limit,
                high=limit,
                role=role,
            )
        )
    for i, (name, unit, start) in enumerate(zip(dae.p.names, dae.p.units, dae.p.start, strict=True)):
        low, high = map(float, dae.p.ranges[i]) if len(dae.p.ranges) else (-np.inf, np.inf)
        declared.append(
            FmuVariable(
                structured(name),
                p + i,
                unit,
                "parameter",
                "tunable",
                "exact",
                float(start),
                description="parameter",
                low=low,
                high=high,
            )
        )
    for i, (name, unit, start) in enumerate(zip(dae.z.names, dae.z.units, dae.z.start, strict=True)):
        declared.append(
            FmuVariable(
                structured(name), z + i, unit, causality(name), initial="approx", start=float(start),
                description="algebraic variable; its start value is where the solver of its equation begins",
            )
        )  # fmt: skip
    for i, place_in_x in enumerate(arranged.continuous):
        if rates[i] == dx + i:
            declared.append(
                FmuVariable(
                    rate_of(structured(names[i])), dx + i, _per_second(dae.x.units[place_in_x]), "local",
                    description="time derivative", state=x + i,
                )
            )  # fmt: skip
    for i, (name, unit) in enumerate(zip(dae.y.names, dae.y.units, strict=True)):
        declared.append(FmuVariable(structured(name), y + i, unit, causality(name), description="output"))
    _refuse_repeated([variable.name for variable in declared])
    return Table(
        variables=tuple(declared),
        states=tuple(range(x, x + nx)),
        rates=tuple(rates),
        outputs=tuple(variable.reference for variable in declared if variable.causality == "output"),
        x=x, d=d, u=u, p=p, z=z, dx=dx, y=y,
    )  # fmt: skip


def _chosen(dae: DAE, outputs: Sequence[str] | None) -> tuple[str, ...]:
    if outputs is None:
        return dae.y.names
    names = (outputs,) if isinstance(outputs, str) else tuple(outputs)
    known = (*dae.y.names, *dae.x.names, *dae.z.names)
    for name in names:
        if name not in known:
            raise NameUnknownError(
                f"fmu: outputs: there is no output, state or algebraic variable '{name}'{suggestion(name, known)}"
            )
    return names


def _per_second(unit: str) -> str:
    """Return the unit of a rate: rad/s2 of rad/s, A/s of A."""
    return f"{unit}2" if unit.endswith("/s") else f"{unit}/s"


def _refuse_repeated(names: list[str]) -> None:
    repeated = [name for name, count in Counter(names).items() if count > 1]
    if repeated:
        raise ParameterError(
            f"fmu: {listing(repeated)} would be there twice; names of an FMU are unique. Rename a block."
        )
