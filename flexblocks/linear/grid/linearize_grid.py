"""Linearisation over a grid, with mode tracking and a test of the interpolation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.dae.require_differentiable import require_differentiable
from flexblocks.errors import ParameterError
from flexblocks.interrupt import answered
from flexblocks.linear.grid.along_motion import PassedPoints, time_axis
from flexblocks.linear.grid.axes import Axis, Over, RestingPoints, grid_axes, held_values
from flexblocks.linear.grid.dataset import model_at, to_dataset
from flexblocks.linear.grid.interpolation_error import interpolation_errors
from flexblocks.linear.grid.linear_grid import LinearGrid
from flexblocks.linear.grid.mode_tracking import track
from flexblocks.linear.grid.refine import MOST_POINTS, refined_axes
from flexblocks.linear.grid.samples import Points, Samples, middles, product
from flexblocks.linear.linearize import frequency_error_of, observed
from flexblocks.progress import ProgressDisplay
from flexblocks.simulation.trajectory import Trajectory
from flexblocks.user_warning import warn
from flexblocks.validity.frequency_error import warn_of_frequencies
from flexblocks.validity.large_deflections import is_quiet, large_deflections, left_out_deflections, warn_of_cases
from flexblocks.validity.left_out_planes import warn_of_left_out_planes
from flexblocks.validity.remarks import warn_of_slender_theory
from flexblocks.warning_kinds import GRID_ERRORS, INTERRUPTED


def linear_grid(
    dae: DAE,
    over: Over,
    at: Mapping[str, float] | Trajectory | None = None,
    outputs: Sequence[str] | str | None = None,
    *,
    tolerance: float | None = None,
    progress: bool | None = None,
    executor: Any = None,
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
    tolerance : float, optional
        Largest interpolation error (see `LinearGrid.error_at`) in the middle of any cell: points are added to the axes
        where it is exceeded, until it is not or the grid has 2000 points. By default no point is added.
    progress : bool, optional
        Whether to show progress; by default if it takes long.
    executor : optional
        Who linearises, as for `flexblocks.study`; the models are the same to the last digit.

    Returns
    -------
    LinearGrid
        Modes keep the numbers of the first point over the grid, as far as their shapes identify them
        (`flexblocks.linear.grid.mode_tracking`). After Ctrl-C it ends early: with the first values of the first axis,
        as far as all models there are complete, or as fine as it had become.

    Raises
    ------
    NameUnknownError, ParameterError
        Unknown names or invalid values in `over`, `at`, `outputs` or `tolerance`.
    NoEquilibriumError
        The arm has no equilibrium at one of the points.
    ComputationError
        The algebraic equations or the loops are singular at one of the points; or loops move there.

    KeyboardInterrupt
        Ctrl-C before the models at two values of the first axis are complete.

    Warns
    -----
    FlexblocksWarning
        Ctrl-C ended it early; or the tolerance was not reached, and where. Or beams rest beyond the deflections that
        they are modelled for, forces act across planes in which they do not bend, or they are too short for their
        theory, as from `flexblocks.linearize`.

    Notes
    -----
    The points, and the middles of all cells, where interpolated models are compared with true ones, are cases of a
    study. E and A are interpolated, that is mass and stiffness, not their quotient; and the mass matrix as the
    square of velocities (`flexblocks.linear.grid.energy_interpolation`).

    Examples
    --------
    >>> import flexblocks as fb
    >>> from flexblocks import models
    >>> arm = fb.assemble(models.subudhi_morris_2002(modes=1), symbolic=("payload.mass",))
    >>> grid = fb.linear_grid(arm, over={"joint2.angle": [0.0, 0.2, 0.4], "payload.mass": [0.1, 0.11]})
    >>> grid.at({"joint2.angle": 0.3, "payload.mass": 0.105}).states[:2]
    ('rotor1.angle', 'rotor2.angle')
    """
    require_differentiable(dae, "linear_grid")
    dae, names = observed(dae, outputs, "linear_grid")
    axes = time_axis(dae, over, at) if isinstance(at, Trajectory) else grid_axes(dae, over)
    if tolerance is not None and (isinstance(tolerance, bool) or not _is_positive(tolerance)):
        raise ParameterError(f"linear_grid: tolerance = {tolerance!r}; must be a number > 0, such as 0.01 for 1 %.")
    samples = Samples(dae, tuple(axis.name for axis in axes), names, _points(dae, axes, at), executor, progress)
    with ProgressDisplay(f"Linearising {dae.name}", None, progress):  # the time of all rounds counts
        grid, axes, interrupted = _first_grid(samples, axes)
        if tolerance is not None and not interrupted:
            grid = _refined(grid, samples, axes, float(tolerance))
    where = f"linear_grid of '{dae.name}'"
    warn_of_slender_theory(dae, where)
    if not isinstance(at, Trajectory):  # of a motion its simulation has warned
        _warn_of_deflections(samples, grid, where)
    return grid


def _warn_of_deflections(samples: Samples, grid: LinearGrid, where: str) -> None:
    """Warn, once, of beams that rest at points of the grid beyond the deflections that they are modelled for.

    Likewise of what forces from outside do there across planes in which they do not bend.
    """
    if is_quiet():
        return
    far, across, others = {}, {}, {}
    for place in product(list(grid.axes.values())):
        point = samples.operating_points[place]
        state = (point.x[None], point.z[None], point.u[None], point.p)
        name = "at " + ", ".join(f"{name} = {value:g}" for name, value in zip(grid.axes, place, strict=True))
        across[name] = left_out_deflections(samples.dae, *state)
        if errors := large_deflections(samples.dae, *state, at_rest=True):
            far[name] = errors
        else:
            others[name] = frequency_error_of(samples.dae, samples.models[place])
    warn_of_left_out_planes(where, "at {} points", across)
    warn_of_cases(where, "at {} points", far)
    if not far:
        warn_of_frequencies(where, others)


def _points(dae: DAE, axes: tuple[Axis, ...], at: Mapping[str, float] | Trajectory | None) -> Points:
    """Return the operating points of the grid."""
    return PassedPoints(at) if isinstance(at, Trajectory) else RestingPoints(held_values(dae, at, axes))


def _first_grid(samples: Samples, axes: tuple[Axis, ...]) -> tuple[LinearGrid, tuple[Axis, ...], bool]:
    """Return the grid over the axes; after Ctrl-C over what is complete of the first axis, with a warning."""
    ticks, others = axes[0].values, [axis.values for axis in axes[1:]]
    # Slab by slab of the first axis, each with the middles of the cells before it.
    slabs = [product([ticks[:1], *others])]
    slabs += [
        product([(ticks[i - 1 : i] + ticks[i : i + 1]) / 2, *middles(others)]) + product([ticks[i : i + 1], *others])
        for i in range(1, len(ticks))
    ]
    try:
        samples.at([place for slab in slabs for place in slab])
    except KeyboardInterrupt:
        complete = next(i for i, slab in enumerate(slabs) if any(place not in samples.models for place in slab))
        if complete < 2:
            raise
        answered()
        warn(
            f"linear_grid of '{samples.dae.name}' was interrupted; the grid ends at {axes[0].name} = "
            f"{ticks[complete - 1]:g} of {ticks[-1]:g} {axes[0].unit}.",
            INTERRUPTED,
        )
        axes = (replace(axes[0], values=ticks[:complete]), *axes[1:])
        return _grid(samples, axes), axes, True
    return _grid(samples, axes), axes, False


def _refined(grid: LinearGrid, samples: Samples, axes: tuple[Axis, ...], tolerance: float) -> LinearGrid:
    """Return a grid whose interpolation errs by less than the tolerance in all middles, as far as that is possible."""
    reason = ""
    while grid.errors.max() > tolerance and not reason:
        try:
            values = refined_axes(grid, samples, tolerance)
            if values is None:
                reason = "smaller steps do not help there: a kink, or an eigenvalue that passes through 0"
            elif np.prod([float(len(ticks)) for ticks in values.values()]) > MOST_POINTS:
                reason = f"a finer grid would have more than {MOST_POINTS} points; take shorter ranges"
            else:
                finer = tuple(replace(axis, values=values[axis.name]) for axis in axes)
                grid = _grid(samples, finer)
        except KeyboardInterrupt:
            reason = "it was interrupted"
            answered()
    if reason:
        place, error = grid.worst_cell
        where = ", ".join(f"{name} = {value:g}" for name, value in place.items())
        warn(
            f"linear_grid of '{samples.dae.name}': at {where} the interpolation error is {error}; the tolerance of "
            f"{100 * tolerance:g} % was not reached: {reason}.",
            GRID_ERRORS,
        )
    return replace(grid, dataset=grid.dataset.assign_attrs(tolerance=tolerance))


def _grid(samples: Samples, axes: tuple[Axis, ...]) -> LinearGrid:
    """Return the grid over the axes, with its interpolation errors."""
    nodes = [axis.values for axis in axes]
    between = middles(nodes)
    sizes = [tuple(map(len, part)) for part in (nodes, between)]
    models, true = samples.at(product(nodes)), samples.at(product(between))
    # Modes at the points, tracked over the grid.
    whole = _arranged(models, sizes[0])
    minimal = [lin.minimal() for lin in models]
    modes, masses = _arranged([lin.modes() for lin in minimal], sizes[0]), np.array([m.structure.mass for m in minimal])
    tracks = track(modes, masses.reshape(*sizes[0], *masses.shape[1:]))
    grid = LinearGrid(to_dataset(axes, whole, modes, tracks), samples.dae)
    # Interpolated models in the middles, compared with the true ones.
    interpolated = grid.interpolated({axis.name: values for axis, values in zip(axes, between, strict=True)})
    cells = [interpolated.isel(dict(zip(grid.axes, cell, strict=True))) for cell in np.ndindex(sizes[1])]
    errors = interpolation_errors([model_at(cell).minimal() for cell in cells], [lin.minimal() for lin in true])
    dims = [f"{axis.name} between" for axis in axes]
    variables = {
        f"error_{kind}": (dims, np.array([getattr(error, kind) for error in errors]).reshape(sizes[1]))
        for kind in ("eigenvalue", "input", "output", "mode")
    }
    centers = {dim: (dim, values, {"units": axis.unit}) for dim, values, axis in zip(dims, between, axes, strict=True)}
    return replace(grid, dataset=grid.dataset.assign(variables).assign_coords(centers))


def _is_positive(value: Any) -> bool:
    try:
        return bool(np.isfinite(float(value)) and float(value) > 0)
    except (TypeError, ValueError):
        return False


def _arranged(entries: Sequence[Any], shape: tuple[int, ...]) -> np.ndarray:
    """Return an array of objects, which may be sequences themselves."""
    arranged = np.empty(len(entries), dtype=object)
    for i, entry in enumerate(entries):
        arranged[i] = entry
    return arranged.reshape(shape)
