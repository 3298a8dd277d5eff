"""Samples of a grid: linear models in descriptor form at points, each linearised once, as cases of a study."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.errors import ComputationError
from flexblocks.linear.constraint_tangent import tangent
from flexblocks.linear.derivatives import Derivatives, derivatives
from flexblocks.linear.linear_model import LinearModel
from flexblocks.linear.linearize import linear_model
from flexblocks.statics.operating_point import OperatingPoint
from flexblocks.studies.cases import Case, table
from flexblocks.studies.outcome import FAILED
from flexblocks.studies.study import done

Place = tuple[float, ...]
GROUPS = ("x", "z", "u", "p", "residual")
SLOPES = tuple(part.name for part in dataclasses.fields(Derivatives) if part.name not in ("kinetic", "stored"))


class Points(Protocol):
    """Operating points of the places of a grid, which travel to where they are computed."""

    def prepare(self, dae: DAE) -> Callable[[Mapping[str, float]], OperatingPoint]:
        """Return the function from the values of the axes to the operating point."""
        ...


@dataclass(frozen=True, eq=False)
class Slopes:
    """Operating point and derivatives of the equations at each place, as a task of a study."""

    dae: DAE
    points: Points

    @property
    def label(self) -> str:
        """What the study is called."""
        return f"linear models of {self.dae.name}"

    def prepare(self, names: tuple[str, ...]) -> Callable[[Case], dict[str, Any]]:
        """Return what differentiates the equations place by place."""
        point_of = self.points.prepare(self.dae)

        def slopes(place: Case) -> dict[str, Any]:
            point = point_of(place)
            (slope,) = derivatives(self.dae, [point])
            return (
                {f"point {name}": getattr(point, name) for name in GROUPS}
                | {name: getattr(slope, name) for name in SLOPES}
                | {f"kinetic {block}": matrix for block, matrix in slope.kinetic.items()}
                | {f"stored {block}": matrix for block, matrix in slope.stored.items()}
            )

        return slopes


@dataclass(eq=False)
class Samples:
    """Linear models by the place in the grid.

    Attributes
    ----------
    dae : DAE
    axes : tuple of str
    outputs : tuple of str
    points : Points
    executor : optional
        Who linearises, as for `flexblocks.study`.
    progress : bool, optional
    models : dict of LinearModel
    operating_points : dict of OperatingPoint
    """

    dae: DAE
    axes: tuple[str, ...]
    outputs: tuple[str, ...]
    points: Points
    executor: Any = None
    progress: bool | None = None
    models: dict[Place, LinearModel] = field(default_factory=dict)
    operating_points: dict[Place, OperatingPoint] = field(default_factory=dict)
    _independent: np.ndarray | None = None

    def at(self, places: Sequence[Place]) -> list[LinearModel]:
        """Return the models at places, all with the same independent coordinates.

        Raises
        ------
        KeyboardInterrupt
            Ctrl-C; the places that are linearised are in `models`.
        FlexblocksError
            As from the first place at which there is no model.
        """
        missing = [place for place in dict.fromkeys(places) if place not in self.models]
        if missing:
            self._linearize(missing)
        return [self.models[place] for place in places]

    def _linearize(self, places: Sequence[Place]) -> None:
        task, cases = Slopes(self.dae, self.points), table(dict(zip(self.axes, zip(*places, strict=True), strict=True)))
        finished = done(task, cases, None, self.executor, self.progress, until_failure=True)
        runs = finished.dataset
        state, values = runs["state"].values, {str(name): data.values for name, data in runs.data_vars.items()}
        for i, place in enumerate(places):
            if state[i] == FAILED:
                task.prepare(cases.names)(cases[i])  # raises the error itself, of its own kind
                raise ComputationError(f"linear_grid of '{self.dae.name}': {runs['error'].values[i]}")
            if state[i]:
                self._keep(place, {name: value[i] for name, value in values.items()})
        finished.tell_of_cases()
        if not state.all():
            raise KeyboardInterrupt

    def _keep(self, place: Place, values: Mapping[str, np.ndarray]) -> None:
        dae = self.dae
        x, z, u, p, residual = (values[f"point {name}"] for name in GROUPS)
        point = OperatingPoint(dae.x.names, dae.z.names, dae.u.names, dae.p.names, x, z, u, p, residual, dae=dae)
        kinetic, stored = (
            {name.removeprefix(kind): matrix for name, matrix in values.items() if name.startswith(kind)}
            for kind in ("kinetic ", "stored ")
        )
        slope = Derivatives(**{name: values[name] for name in SLOPES}, kinetic=kinetic, stored=stored)
        if self._independent is None:
            self._independent = tangent(dae, point, slope.a).coordinates
        self.operating_points[place] = point
        self.models[place] = linear_model(dae, point, slope, self.outputs, "descriptor", self._independent)


def product(values: Sequence[np.ndarray]) -> list[Place]:
    """Return all combinations of the values of the axes, the last axis fastest."""
    return list(itertools.product(*(ticks.tolist() for ticks in values)))


def middles(nodes: Sequence[np.ndarray]) -> list[np.ndarray]:
    """Return the middles between the nodes of each axis."""
    return [(ticks[1:] + ticks[:-1]) / 2 for ticks in nodes]
