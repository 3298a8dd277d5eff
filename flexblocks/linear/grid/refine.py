"""Refinement of a grid: lines are added where interpolation errs by more than a tolerance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from flexblocks.linear.grid.dataset import model_at
from flexblocks.linear.grid.interpolation_error import interpolation_errors
from flexblocks.linear.grid.linear_grid import LinearGrid
from flexblocks.linear.grid.samples import Place, Samples, middles

MOST_POINTS = 2000
FINEST = 2.0**-12  # of an axis: smaller steps mean a kink or a change of sign, which no step resolves


def refined_axes(grid: LinearGrid, samples: Samples, tolerance: float) -> dict[str, np.ndarray] | None:
    """Return the axes of a finer grid; None if no cell that errs by more than the tolerance can be split further."""
    axes = list(grid.axes.items())
    nodes = [ticks for _, ticks in axes]
    cells = np.argwhere(grid.errors > tolerance)
    added: list[set[float]] = [set() for _ in axes]
    for cell, errors in zip(cells, _errors_by_axis(grid, samples, cells), strict=True):
        possible = [
            ticks[i + 1] - ticks[i] > FINEST * (ticks[-1] - ticks[0]) for i, ticks in zip(cell, nodes, strict=True)
        ]
        largest = max((error for error, can in zip(errors, possible, strict=True) if can), default=0.0)
        for axis, (i, error, can) in enumerate(zip(cell, errors, possible, strict=True)):
            if can and error >= min(largest, tolerance / 2):
                added[axis].add(float(middles(nodes)[axis][i]))
    if not any(added):
        return None
    return {
        name: np.sort(np.concatenate([ticks, sorted(more)])) for (name, ticks), more in zip(axes, added, strict=True)
    }


def _errors_by_axis(grid: LinearGrid, samples: Samples, cells: np.ndarray) -> list[Sequence[float]]:
    """Return for each cell the interpolation error along each axis alone, in the middle of an edge."""
    nodes = list(grid.axes.values())
    if len(nodes) == 1:
        return [(1.0,) for _ in cells]
    centers = middles(nodes)
    places: list[Place] = []
    for cell in cells:
        corner = [float(ticks[i]) for i, ticks in zip(cell, nodes, strict=True)]
        places += [
            tuple(float(centers[axis][cell[axis]]) if k == axis else value for k, value in enumerate(corner))
            for axis in range(len(nodes))
        ]
    true = [lin.minimal() for lin in samples.at(places)]
    between = [model_at(grid.interpolated(_named(grid, place))).minimal() for place in places]
    errors = [error.largest for error in interpolation_errors(between, true)]
    return [errors[i : i + len(nodes)] for i in range(0, len(errors), len(nodes))]


def _named(grid: LinearGrid, place: Place) -> Mapping[str, float]:
    return dict(zip(grid.axes, place, strict=True))
