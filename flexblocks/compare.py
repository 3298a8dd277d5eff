"""The same arm with beams of several fidelities: what each finds, and what it costs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import casadi as ca
import numpy as np
import pandas as pd

from flexblocks.assemble import assemble
from flexblocks.beam.discretization import Discretization
from flexblocks.dae.dae import DAE
from flexblocks.dae.operation_counts import operation_counts
from flexblocks.errors import NameUnknownError, ParameterError, listing, nearest
from flexblocks.linear.linearize import linearize
from flexblocks.modeling.model import Model
from flexblocks.modeling.rediscretize import rediscretize
from flexblocks.simulation import Trajectory, simulate
from flexblocks.statics.equilibrium import equilibrium


@dataclass(frozen=True, eq=False)
class Comparison:
    """What beams of several fidelities find.

    Attributes
    ----------
    table : pandas.DataFrame
        A row for each fidelity, with columns ``coordinates``; ``frequency 1 [rad/s]`` and so on, of the modes that
        store elastic energy, about the equilibrium; ``static [unit]``, the output there, inputs being what
        `flexblocks.equilibrium` finds; ``M operations`` and ``forward dynamics operations``, of one evaluation;
        ``energy drift [J]``, the largest difference between energy and work in the simulation (nan for an arm with
        dampers); ``difference [unit]``, the largest of the output's response to that of the last row.
    output : str
        The output that is compared.
    responses : dict of Trajectory
        The simulations, by fidelity.
    """

    table: pd.DataFrame
    output: str
    responses: Mapping[str, Trajectory]

    def __str__(self) -> str:
        return f"{self.output}\n{self.table.to_string(float_format=lambda value: f'{value:.6g}')}"


def compare(
    model: Model,
    discretizations: Mapping[str, Discretization] | Sequence[Discretization],
    t: tuple[float, float] | Sequence[float] | np.ndarray = (0.0, 1.0),
    u: Mapping[str, Any] | None = None,
    x0: Mapping[str, float] | None = None,
    *,
    output: str | None = None,
    frequencies: int = 3,
) -> Comparison:
    """Compare fidelities of an arm's beams.

    Parameters
    ----------
    model : Model
    discretizations : dict or sequence of Discretization
        Each for all beams that bend, by a name of your own or by its own; the finest last: the others are compared with
        it.
    t, u, x0
        The simulation, as `flexblocks.simulate` takes it; `x0` by names that all fidelities have.
    output : str, optional
        By default the tip deflection of the last beam.
    frequencies : int
        How many, from the lowest.

    Returns
    -------
    Comparison

    Raises
    ------
    ParameterError
        No discretizations, or one given twice.
    NameUnknownError
        There is no such output.
    FlexblocksError
        An arm that cannot be assembled, has no equilibrium, or cannot be simulated.
    """
    wanted = _named(discretizations)
    if not isinstance(frequencies, int) or frequencies < 0:
        raise ParameterError(f"compare: frequencies = {frequencies!r}; must be a whole number >= 0.")
    daes = {name: assemble(rediscretize(model, kind)) for name, kind in wanted.items()}
    output = _output(next(iter(daes.values())), output)
    responses = {name: simulate(dae, t, u=u, x0=x0) for name, dae in daes.items()}
    last = list(responses.values())[-1]
    rows = {name: _row(dae, responses[name], last, output, frequencies) for name, dae in daes.items()}
    return Comparison(pd.DataFrame.from_dict(rows, orient="index"), output, responses)


def _named(given: Mapping[str, Discretization] | Sequence[Discretization]) -> dict[str, Discretization]:
    if isinstance(given, Mapping):
        found = dict(given)
    elif isinstance(given, Sequence) and not isinstance(given, str):
        found = {repr(kind): kind for kind in given}
        if len(found) < len(given):
            raise ParameterError(f"compare: discretizations = {given!r}; one stands there twice.")
    else:
        found = {}
    if not found or not all(isinstance(kind, Discretization) for kind in found.values()):
        raise ParameterError(
            f"compare: discretizations = {given!r}; must be some, such as [fb.AssumedModes(2), fb.FiniteElements(4)]."
        )
    return found


def _output(dae: DAE, given: str | None) -> str:
    if given is None:
        tips = [name for name in dae.y.names if ".tip_deflection_" in name]
        if not tips:
            raise ParameterError("compare: the arm has no beam that bends; name an output to compare.")
        last = tips[-1].rpartition(".")[0]
        return next(name for name in tips if name.startswith(f"{last}."))
    if given not in dae.y:
        raise NameUnknownError(
            f"compare: output: there is no '{given}' ({listing(dae.y.names)}).{nearest(given, dae.y.names)}"
        )
    return given


def _row(dae: DAE, response: Trajectory, last: Trajectory, output: str, frequencies: int) -> dict[str, float]:
    point = equilibrium(dae)
    elastic = [mode.frequency for mode in linearize(dae, point).modes() if mode.energy == "strain" and mode.frequency]
    found = [*elastic[:frequencies], *[np.nan] * max(0, frequencies - len(elastic))]
    at_rest = [point.x, point.u, point.p, *([point.z] if len(dae.z) else [])]
    unit = dae.y.units[dae.y.index(output)]
    row: dict[str, float] = {"coordinates": dae.tree.size}
    row |= {f"frequency {i} [rad/s]": value for i, value in enumerate(found, 1)}
    row[f"static [{unit}]"] = float(dae.output(*at_rest)[dae.y.index(output)])
    row["M operations"] = operation_counts(dae.mass_matrix)["total"]
    row["forward dynamics operations"] = operation_counts(dae.forward_dynamics)["total"]
    row["energy drift [J]"] = np.nan if _dissipates(dae) else _drift(response)
    row[f"difference [{unit}]"] = float(np.abs(response[output] - last[output]).max())
    return row


def _dissipates(dae: DAE) -> bool:
    return any(ca.sparsify(ca.SX(body.terms.physics.dissipation)).nnz() for body in dae.tree.bodies)


def _drift(response: Trajectory) -> float:
    balance = response["kinetic_energy"] + response["potential_energy"] - response["work"]
    return float(np.abs(balance - balance[0]).max())
