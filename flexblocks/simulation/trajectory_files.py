"""Trajectory files: netCDF and CSV."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np

from flexblocks.errors import FileFormatError
from flexblocks.files import atomic_file, readable_file
from flexblocks.libraries import xr
from flexblocks.netcdf_file import FORMAT, read_netcdf, write_netcdf
from flexblocks.simulation.dataset import Series, to_xarray
from flexblocks.simulation.saved_arm import arm_attribute

HOLDS = "trajectory"


def save(trajectory: Series, path: str | Path) -> None:
    """Write a trajectory to a ``.nc`` or ``.csv`` file."""
    path = Path(path)
    if _kind(path) == ".nc":
        arm = arm_attribute(getattr(trajectory, "dae", None))
        write_netcdf(path, to_xarray(trajectory).assign_attrs(arm), HOLDS)
    else:
        _save_csv(trajectory, path)


def read_series(path: str | Path) -> xr.Dataset:
    """Return the dataset of the trajectory in a ``.nc`` or ``.csv`` file.

    Raises
    ------
    FileFormatError
        The file is not there, cannot be read, or is not one of a trajectory.
    """
    path = Path(path)
    if _kind(path) == ".nc":
        return read_netcdf(path)
    file = readable_file(path)
    try:
        return _load_csv(file)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise FileFormatError(f"{path}: not a trajectory saved by flexblocks ({error}).") from None


def _kind(path: Path) -> str:
    kind = path.suffix.lower()
    if kind not in (".nc", ".csv"):
        raise FileFormatError(
            f"{path}: suffix '{path.suffix}'; trajectories are saved as .nc (netCDF) or .csv: use one of these."
        )
    return kind


def _save_csv(trajectory: Series, path: Path) -> None:
    """Write a comment line ``#`` with the metadata, then names, units, and the numbers in full precision.

    The first line says how many rows of numbers follow: a file cut short would be read as a shorter motion otherwise.
    """
    names = ["time", *[name for group in trajectory.names.values() for name in group]]
    groups = {group: len(members) for group, members in trajectory.names.items()}
    numbers = np.column_stack([trajectory[name] for name in names])
    attributes = {FORMAT: HOLDS, **to_xarray(trajectory).attrs, "groups": groups, "rows": len(numbers)}
    with atomic_file(path) as unfinished, unfinished.open("w", encoding="utf-8", newline="") as file:
        file.write(f"# {json.dumps(attributes)}\n")
        csv.writer(file, lineterminator="\n").writerows([names, [trajectory.unit(name) for name in names]])
        np.savetxt(file, numbers, fmt="%.17g", delimiter=",")


def _load_csv(path: Path) -> xr.Dataset:
    first, *lines = path.read_text(encoding="utf-8").split("\n")
    if not first.startswith("# {"):
        raise ValueError("its first line is not the '# {...}' of a trajectory")
    attributes = json.loads(first[2:])
    if "rows" not in attributes:
        raise ValueError("its first line does not say how many rows there are; save the trajectory again")
    rows = attributes.pop("rows")
    # Every line ends in a line end, the last one too: a number that was cut in the middle may look like one.
    if len(lines) != rows + 3 or lines[-1]:
        raise ValueError(f"it is cut short or was added to: {max(len(lines) - 3, 0)} whole rows of {rows}")
    names, units = csv.reader(lines[:2])
    numbers = np.loadtxt(lines[2:-1], delimiter=",", ndmin=2)
    groups = [group for group, size in attributes.pop("groups").items() for _ in range(size)]
    if not len(names) == len(units) == len(groups) + 1 == numbers.shape[1]:
        raise ValueError(
            f"{len(names)} names, {len(units)} units and {numbers.shape[1]} columns; must be {len(groups) + 1}"
        )
    series = {
        name: ("time", values, {"units": unit, "group": group})
        for name, unit, group, values in zip(names[1:], units[1:], groups, numbers.T[1:], strict=True)
    }
    return xr.Dataset(series, coords={"time": ("time", numbers[:, 0], {"units": "s"})}, attrs=attributes)
