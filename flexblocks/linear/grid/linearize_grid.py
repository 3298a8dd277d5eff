"""Linearisation over a grid, with mode tracking and a test of the interpolation."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.dynamics.tree.clock import refuse_clocks
from flexblocks.linear.constraint_tangent import tangent
from flexblocks.linear.derivatives import derivatives
from flexblocks.linear.grid.along_motion import passed_points, time_axis
from flexblocks.linear.grid.axes import Over, grid_axes, held_values, resting_points
from flexblocks.linear.grid.dataset import model_at, to_dataset
from flexblocks.linear.grid.interpolation_error import interpolation_errors
from flexblocks.linear.grid.linear_grid import LinearGrid
from flexblocks.linear.grid.mode_tracking import track
from flexblocks.linear.linearize import linear_model, output_names
from flexblocks.simulation.trajectory import Trajectory


def linear_grid(
    dae: DAE,
    over: Over,
    at: Mapping[str, float] | Trajectory | None = None,
    outputs: Sequence[str] | str | None = None,
) -> LinearGrid:
    """Linearise an arm about its equilibria over a grid of postures, inputs and parameters, or along a motion.

    Parameters
    ----------
    dae : DAE
    over : dict
        Increasing values by name of coordinates, inputs or symbolic parameters:
        ``{"joint2.angle": [0.0, 0.5, 1.0], "payload.mass": [0.0, 0.1]}``.
    at : dict or Trajectory, optional
        Values that are held everywhere; what is in neither is solved for by `flexblocks.equilibrium`. Or a motion of
        the arm, with ``over={"time": [...]}``: the models hold for deviations from it, each frozen in time.
    outputs : sequence of str, optional
        As for `flexblocks.linearize`.

    Returns
    -------
    LinearGrid
        Modes keep the numbers of the first point over the grid, as far as their shapes identify them
        (`flexblocks.linear.grid.mode_tracking`).

    Raises
    ------
    NameUnknownError, ParameterError
        Unknown names or invalid values in `over`, `at` or `outputs`.
    NoEquilibriumError
        The arm has no equilibrium at one of the points.
    ComputationError
        The algebraic equations or the loops are singular at one of the points; or loops move there.

    Notes
    -----
    One function is evaluated at all points, and in the middle of all cells, where interpolated models are compared with
    true ones. E and A are interpolated, that is mass and stiffness, not their quotient.

    Examples
    --------
    >>> import flexblocks as fb
    >>> from flexblocks import models
    >>> arm = fb.assemble(models.subudhi_morris_2002(modes=1), symbolic=("payload.mass",))
    >>> grid = fb.linear_grid(arm, over={"joint2.angle": [0.0, 0.2, 0.4], "payload.mass": [0.1, 0.11]})
    >>> grid.at({"joint2.angle": 0.3, "payload.mass": 0.105}).states[:2]
    ('rotor1.angle', 'rotor2.angle')
    """
    refuse_clocks(dae.clocks, "linear_grid")
    names = output_names(dae, outputs, "linear_grid")
    axes = time_axis(dae, over, at) if isinstance(at, Trajectory) else grid_axes(dae, over)
    # Points of the grid, and the middles of its cells.
    nodes = [axis.values for axis in axes]
    between = [(values[1:] + values[:-1]) / 2 for values in nodes]
    sizes = [tuple(map(len, part)) for part in (nodes, between)]
    places = [np.array(list(itertools.product(*part))) for part in (nodes, between)]
    if isinstance(at, Trajectory):
        points = passed_points(dae, at, np.vstack(places)[:, 0])
    else:
        points = resting_points(dae, axes, held_values(dae, at, axes), np.vstack(places))
    # Linear models at all of them, with the same independent coordinates.
    slopes = derivatives(dae, points)
    independent = tangent(dae, points[0], slopes[0].a).coordinates
    models = [linear_model(dae, *pair, names, "descriptor", independent) for pair in zip(points, slopes, strict=True)]
    # Modes at the points, tracked over the grid.
    whole = _arranged(models[: len(places[0])], sizes[0])
    minimal = [lin.minimal() for lin in whole.flat]
    modes, masses = _arranged([lin.modes() for lin in minimal], sizes[0]), np.array([m.structure.mass for m in minimal])
    tracks = track(modes, masses.reshape(*sizes[0], *masses.shape[1:]))
    grid = LinearGrid(to_dataset(axes, whole, modes, tracks))
    # Interpolated models in the middles, compared with the true ones.
    interpolated = grid.interpolated({axis.name: values for axis, values in zip(axes, between, strict=True)})
    cells = [interpolated.isel(dict(zip(grid.axes, cell, strict=True))) for cell in np.ndindex(sizes[1])]
    errors = interpolation_errors(
        [model_at(cell).minimal() for cell in cells], [lin.minimal() for lin in models[whole.size :]]
    )
    dims = [f"{axis.name} between" for axis in axes]
    variables = {
        f"error_{kind}": (dims, np.array([getattr(error, kind) for error in errors]).reshape(sizes[1]))
        for kind in ("eigenvalue", "input", "output", "mode")
    }
    middles = {dim: (dim, values, {"units": axis.unit}) for dim, values, axis in zip(dims, between, axes, strict=True)}
    return LinearGrid(grid.dataset.assign(variables).assign_coords(middles))


def _arranged(entries: Sequence[Any], shape: tuple[int, ...]) -> np.ndarray:
    """Return an array of objects, which may be sequences themselves."""
    arranged = np.empty(len(entries), dtype=object)
    for i, entry in enumerate(entries):
        arranged[i] = entry
    return arranged.reshape(shape)
