"""Export and import of grids of linear models."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np

from flexblocks.errors import FileFormatError, listing
from flexblocks.files import atomic_file
from flexblocks.libraries import scipy, xr
from flexblocks.linear.grid import LinearGrid
from flexblocks.netcdf_file import FORMAT, write_netcdf
from flexblocks.simulation.saved_arm import ATTRIBUTE, arm_attribute, saved_arm

# MATLAB field of each result over modes or grid cells.
RESULTS = {
    "frequency": "Frequency",
    "damping_ratio": "DampingRatio",
    "mac": "MAC",
    "participation": "Participation",
    "operating_x": "OperatingState",
    "operating_z": "OperatingAlgebraic",
    "operating_u": "OperatingInput",
    "operating_p": "OperatingParameter",
    "error_eigenvalue": "ErrorEigenvalue",
    "error_input": "ErrorInput",
    "error_output": "ErrorOutput",
}
NAMES = {
    "StateName": "state",
    "EquationName": "equation",
    "InputName": "input",
    "OutputName": "output",
    "OperatingStateName": "operating_state",
    "AlgebraicName": "operating_algebraic",
    "ParameterName": "parameter",
    "BlockName": "block",
}
UNITS = {f"{kind}Unit": f"{kind.lower()}_unit" for kind in ("State", "Equation", "Input", "Output")}


def save_grid(grid: LinearGrid, path: str | Path) -> None:
    """Write a grid of linear models to a file.

    Parameters
    ----------
    grid : LinearGrid
    path : str or Path
        ``.nc`` for netCDF with all of `LinearGrid.dataset` and the arm, which `flexblocks.load` opens; or ``.mat`` for
        MATLAB and Octave.

    Raises
    ------
    FileFormatError
        The suffix is neither.

    Notes
    -----
    In MATLAB the axes of the grid come last, as in its arrays of models: ``s = load("grid.mat")`` has
    ``s.A(:, :, i, j)`` at ``s.AxisValue{1}(i)``, ``s.AxisValue{2}(j)``, which are values of ``s.AxisName{1}`` and
    ``s.AxisName{2}``.
    """
    path = Path(path)
    writers: dict[str, Callable[[], Any]] = {
        ".nc": lambda: write_netcdf(path, grid.dataset.assign_attrs(arm_attribute(grid.dae)), "linear grid"),
        ".mat": lambda: _write_mat(grid, path),
    }
    if path.suffix.lower() not in writers:
        raise FileFormatError(f"save_grid: {path}: suffix '{path.suffix}'; must be one of {listing(writers)}.")
    writers[path.suffix.lower()]()


def saved_grid(dataset: xr.Dataset, path: str | Path, types: Iterable[type] = ()) -> LinearGrid:
    """Return the grid of linear models in a file that `save_grid` wrote, ``.nc``.

    Parameters
    ----------
    dataset : Dataset
        What the file holds.
    path : str or Path
        Where it is, for messages.
    types : iterable of type
        User-defined blocks (and discretisations) in its model.

    Raises
    ------
    FileFormatError
        Something is missing, or needs types that are not there.
    """
    missing = [name for name in (*"EABCD", "mac", "error_eigenvalue", "kinetic", "stored") if name not in dataset]
    if missing:
        raise FileFormatError(f"{path}: holds no {listing(missing)}; must be a file that save_grid wrote.")
    dae = saved_arm(dataset.attrs, path, types)
    kept = {name: value for name, value in dataset.attrs.items() if name not in (ATTRIBUTE, FORMAT)}
    outputs = tuple(map(str, dataset["output"].values))
    results = dataset.copy(deep=False)
    results.attrs = kept
    return LinearGrid(results, dae and dae.with_outputs(outputs))


def _write_mat(grid: LinearGrid, path: Path) -> None:
    dataset, axes = grid.dataset, grid.axes
    over = [*axes, *(f"{name} between" for name in axes)]

    def last(name: str) -> np.ndarray:
        """Return a variable with the axes of the grid moved last."""
        variable = dataset[name]
        ahead = [dim for dim in variable.dims if dim not in over]
        return variable.transpose(*ahead, *[dim for dim in over if dim in variable.dims]).values

    fields: dict[str, Any] = {
        "Format": "flexblocks grid of linear models",
        "Name": str(dataset.attrs["name"]),
        "AxisName": _cells(list(axes)),
        "AxisUnit": _cells([dataset[name].attrs["units"] for name in axes]),
        "AxisValue": _cells([values[:, None] for values in axes.values()]),
        **{letter: last(letter) for letter in "ABCDE"},
        **{field: _cells(dataset[name].values.tolist()) for field, name in (NAMES | UNITS).items()},
        "Eigenvalue": last("eigenvalue_real") + 1j * last("eigenvalue_imag"),
        **{field: last(name) for name, field in RESULTS.items()},
    }
    with atomic_file(path) as unfinished, unfinished.open("wb") as file:
        scipy.io.savemat(file, fields, oned_as="column")


def _cells(entries: list[Any]) -> np.ndarray:
    """Return a column of objects, which SciPy writes as a MATLAB cell array."""
    cells = np.empty((len(entries), 1), dtype=object)
    for i, entry in enumerate(entries):
        cells[i, 0] = entry
    return cells
