"""Convergence study: one arm with several beam discretisations, their accuracy and their cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import casadi as ca
import numpy as np

from flexblocks.assemble import assemble
from flexblocks.beam.discretization import Discretization
from flexblocks.dae.dae import DAE
from flexblocks.dae.operation_counts import operation_counts
from flexblocks.errors import NameUnknownError, ParameterError
from flexblocks.lazy_package import upper
from flexblocks.libraries import pd
from flexblocks.linear.linearize import linearize
from flexblocks.modeling.model import Model
from flexblocks.modeling.rediscretize import rediscretize
from flexblocks.rich_display import RichDisplay
from flexblocks.simulation import Trajectory, simulate
from flexblocks.simulation.sampling import output_times
from flexblocks.simulation.signals.inputs import inputs, shifted
from flexblocks.simulation.signals.reference_rates import with_reference_rates
from flexblocks.simulation.simulate import whole
from flexblocks.statics.equilibrium import equilibrium
from flexblocks.statics.operating_point import OperatingPoint
from flexblocks.validity.large_deflections import without_warning


@dataclass(frozen=True, eq=False)
class Comparison(RichDisplay):
    """Results of a convergence study over beam discretizations.

    Attributes
    ----------
    table : pandas.DataFrame
        A row for each discretisation, with columns ``coordinates``; ``frequency 1 [rad/s]`` and so on, of the modes
        that store elastic energy, about the equilibrium; ``static [unit]``, the output there, with the inputs of
        `flexblocks.equilibrium`; ``M operations`` and ``forward dynamics operations``, of one evaluation;
        ``energy drift [J]``, the largest imbalance between energy and work in the simulation (nan for an arm with
        dampers); ``difference [unit]``, the largest deviation of the output's response from that of the last row.
    output : str
        Name of the output that is compared.
    responses : dict of Trajectory
        The simulations, by discretization.
    model : Model
        The model that was compared, with its own discretizations.
    """

    table: pd.DataFrame
    output: str
    responses: Mapping[str, Trajectory]
    model: Model

    @upper
    def plot(self) -> Any:
        """Draw the responses and their differences, and return the axes; see `flexblocks.plot.comparison`."""

    def __repr__(self) -> str:
        return f"Comparison({self.output!r}: {len(self.table)} discretisations of {self.model.name!r})"

    def __str__(self) -> str:
        return f"{self.output}\n{self.table.to_string(float_format=lambda value: f'{value:.6g}')}"


def compare(
    model: Model,
    discretizations: Mapping[str, Discretization] | Sequence[Discretization],
    t: tuple[float, float] | Sequence[float] | np.ndarray = (0.0, 1.0),
    u: Mapping[str, Any] | None = None,
    x0: Mapping[str, float] | None = None,
    *,
    at: Mapping[str, float] | None = None,
    output: str | None = None,
    frequencies: int = 3,
    locked: Mapping[str, float] | None = None,
) -> Comparison:
    """Compare beam discretisations of an arm.

    Parameters
    ----------
    model : Model
    discretizations : dict or sequence of Discretization
        Each is applied to all flexible beams; the last, which should be the finest, is the reference for the others.
        The keys of a dict name the rows; those of a sequence are named by the discretisations themselves.
    t, u, x0
        Arguments of `flexblocks.simulate`; `x0` holds only names that all discretisations have.
    at : dict, optional
        Coordinates held, ``{"joint1.angle": 0.3}``, see `flexblocks.equilibrium`: every discretisation is at rest there
        with its own deflections and its own inputs that hold it. Frequencies and the static output are those at this
        point, and the simulation starts from it: `u` is added to the inputs that hold the arm, `x0` replaces start
        values. By default the equilibrium next to the start values, and a simulation with `u` alone from these.
    output : str, optional
        By default the tip deflection of the last beam; also the motion of a frame, see `DAE.with_outputs`.
    frequencies : int
        Number of natural frequencies in the table, from the lowest.
    locked : dict, optional
        Coordinates that are locked, ``{"joint1.angle": 0.3}``, see `flexblocks.assemble`.

    Returns
    -------
    Comparison

    Raises
    ------
    ParameterError
        No discretisations, or the same one twice.
    NameUnknownError
        There is no such output.
    FlexblocksError
        An arm that cannot be assembled, has no equilibrium (with the coordinates of `at` held), or cannot be simulated.
    """
    by_name = _named(discretizations)
    if not isinstance(frequencies, int) or frequencies < 0:
        raise ParameterError(f"compare: frequencies = {frequencies!r}; must be a whole number >= 0.")
    with without_warning():
        daes = {name: assemble(rediscretize(model, kind), locked=locked) for name, kind in by_name.items()}
    output = _output(next(iter(daes.values())), output)
    try:
        daes = {name: dae.with_outputs(output) for name, dae in daes.items()}
    except NameUnknownError as error:
        raise NameUnknownError(f"compare: output: {error}") from None
    if not all(output in dae.y for dae in daes.values()):
        raise NameUnknownError(f"compare: output: '{output}' is no output, but a state, an input or a parameter.")
    with without_warning():  # what is compared shows by how much a discretisation is off
        points = {name: equilibrium(dae, at) for name, dae in daes.items()}
        if at is None:
            responses = {name: whole(simulate(dae, t, u=u, x0=x0)) for name, dae in daes.items()}
        else:
            responses = {name: _simulate_from(dae, points[name], t, u, x0) for name, dae in daes.items()}
    last = list(responses.values())[-1]
    rows = {name: _row(dae, points[name], responses[name], last, output, frequencies) for name, dae in daes.items()}
    return Comparison(pd.DataFrame.from_dict(rows, orient="index"), output, responses, model.copy())


def _named(discretizations: Mapping[str, Discretization] | Sequence[Discretization]) -> dict[str, Discretization]:
    if isinstance(discretizations, Mapping):
        by_name = dict(discretizations)
    elif isinstance(discretizations, Sequence) and not isinstance(discretizations, str):
        by_name = {repr(kind): kind for kind in discretizations}
        if len(by_name) < len(discretizations):
            raise ParameterError(
                f"compare: discretizations = {discretizations!r}; one appears twice: remove it, or pass a dict with "
                "a name for each."
            )
    else:
        by_name = {}
    if not by_name or not all(isinstance(kind, Discretization) for kind in by_name.values()):
        raise ParameterError(
            f"compare: discretizations = {discretizations!r}; must be a non-empty list of discretisations, such as "
            "[fb.AssumedModes(2), fb.FiniteElements(4)]."
        )
    return by_name


def _output(dae: DAE, wanted: str | None) -> str:
    if wanted is None:
        tips = [name for name in dae.y.names if ".tip_deflection_" in name]
        if not tips:
            raise ParameterError("compare: the arm has no flexible beam; name the output to compare, output='...'.")
        last = tips[-1].rpartition(".")[0]
        return next(name for name in tips if name.startswith(f"{last}."))
    return wanted


def _simulate_from(
    dae: DAE,
    point: OperatingPoint,
    t: tuple[float, float] | Sequence[float] | np.ndarray,
    u: Mapping[str, Any] | None,
    x0: Mapping[str, float] | None,
) -> Trajectory:
    """Simulate from an operating point, with `u` added to the inputs that hold the arm there."""
    times, sampled = output_times(t, "compare")
    u = with_reference_rates(dae, u, times, sampled, "compare")
    deviations = inputs(dae.u, u, times, sampled, "compare").signals
    acting = {
        name: shifted(deviation, offset)
        for name, deviation, offset in zip(dae.u.names, deviations, point.u.tolist(), strict=True)
    }
    start = dict(zip(dae.x.names, point.x.tolist(), strict=True)) | dict(x0 or {})
    return whole(simulate(dae, t, u=acting, x0=start))


def _row(
    dae: DAE, point: OperatingPoint, response: Trajectory, last: Trajectory, output: str, frequencies: int
) -> dict[str, float]:
    natural = [mode.frequency for mode in linearize(dae, point).modes() if mode.energy == "strain" and mode.frequency]
    lowest = [*natural[:frequencies], *[np.nan] * max(0, frequencies - len(natural))]
    at_rest = [point.x, point.u, point.p, *([point.z] if len(dae.z) else [])]
    unit = dae.y.units[dae.y.index(output)]
    row: dict[str, float] = {"coordinates": dae.tree.size}
    row |= {f"frequency {i} [rad/s]": value for i, value in enumerate(lowest, 1)}
    row[f"static [{unit}]"] = float(dae.output(*at_rest)[dae.y.index(output)])
    row["M operations"] = operation_counts(dae.mass_matrix)["total"]
    row["forward dynamics operations"] = operation_counts(dae.forward_dynamics)["total"]
    row["energy drift [J]"] = np.nan if _dissipates(dae) else _drift(response)
    row[f"difference [{unit}]"] = float(np.abs(response[output] - last[output]).max())
    return row


def _dissipates(dae: DAE) -> bool:
    bodies = any(ca.sparsify(ca.SX(body.terms.physics.dissipation)).nnz() for body in dae.tree.bodies)
    return bodies or any(element.terms.dissipates for element in dae.tree.elements)


def _drift(response: Trajectory) -> float:
    balance = response["kinetic_energy"] + response["potential_energy"] - response["work"]
    return float(np.abs(balance - balance[0]).max())
