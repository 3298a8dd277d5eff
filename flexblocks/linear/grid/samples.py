"""Samples of a grid: linear models in descriptor form at points, each linearised once."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.linear.constraint_tangent import tangent
from flexblocks.linear.derivatives import derivatives
from flexblocks.linear.linear_model import LinearModel
from flexblocks.linear.linearize import linear_model
from flexblocks.statics.operating_point import OperatingPoint

Place = tuple[float, ...]
ONCE = 16  # points whose derivatives are evaluated together; between them Ctrl-C is obeyed


@dataclass(eq=False)
class Samples:
    """Linear models by the place in the grid.

    Attributes
    ----------
    dae : DAE
    outputs : tuple of str
    point : callable
        Operating points at places (k, axes).
    advance : callable
        Called with the number of models so far, before more are made; it may raise KeyboardInterrupt.
    models : dict of LinearModel
    points : dict of OperatingPoint
    """

    dae: DAE
    outputs: tuple[str, ...]
    point: Callable[[np.ndarray], list[OperatingPoint]]
    advance: Callable[[int], None]
    models: dict[Place, LinearModel] = field(default_factory=dict)
    points: dict[Place, OperatingPoint] = field(default_factory=dict)
    _independent: np.ndarray | None = None

    def at(self, places: Sequence[Place]) -> list[LinearModel]:
        """Return the models at places, all with the same independent coordinates."""
        missing = [place for place in dict.fromkeys(places) if place not in self.models]
        for group in (missing[i : i + ONCE] for i in range(0, len(missing), ONCE)):
            self.advance(len(self.models))
            points = self.point(np.array(group))
            self.points.update(zip(group, points, strict=True))
            slopes = derivatives(self.dae, points)
            if self._independent is None:
                self._independent = tangent(self.dae, points[0], slopes[0].a).coordinates
            for place, point, slope in zip(group, points, slopes, strict=True):
                self.models[place] = linear_model(self.dae, point, slope, self.outputs, "descriptor", self._independent)
        return [self.models[place] for place in places]


def product(values: Sequence[np.ndarray]) -> list[Place]:
    """Return all combinations of the values of the axes, the last axis fastest."""
    return list(itertools.product(*(ticks.tolist() for ticks in values)))


def middles(nodes: Sequence[np.ndarray]) -> list[np.ndarray]:
    """Return the middles between the nodes of each axis."""
    return [(ticks[1:] + ticks[:-1]) / 2 for ticks in nodes]
