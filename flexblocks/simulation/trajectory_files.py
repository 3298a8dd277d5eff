"""Trajectory files: netCDF and CSV."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

from flexblocks.errors import FileFormatError
from flexblocks.simulation.dataset import Series, to_xarray, trajectory_fields


def save(trajectory: Series, path: str | Path) -> None:
    """Write a trajectory to a ``.nc`` or ``.csv`` file."""
    path = Path(path)
    if _kind(path) == ".nc":
        to_xarray(trajectory).to_netcdf(path)
    else:
        _save_csv(trajectory, path)


def load(path: str | Path, groups: Sequence[str]) -> dict[str, Any]:
    """Return the fields of the trajectory in a ``.nc`` or ``.csv`` file."""
    path = Path(path)
    kind = _kind(path)
    if not path.is_file():
        raise FileFormatError(f"{path}: there is no such file; give the path of a file that Trajectory.save wrote.")
    try:
        if kind == ".csv":
            return trajectory_fields(_load_csv(path), groups)
        with xr.open_dataset(path, decode_times=False) as dataset:
            return trajectory_fields(dataset.load(), groups)
    except (OSError, ValueError, KeyError, FileFormatError) as error:
        raise FileFormatError(f"{path}: not a trajectory saved by flexblocks ({error}).") from None


def _kind(path: Path) -> str:
    kind = path.suffix.lower()
    if kind not in (".nc", ".csv"):
        raise FileFormatError(
            f"{path}: suffix '{path.suffix}'; trajectories are saved as .nc (netCDF) or .csv: use one of these."
        )
    return kind


def _save_csv(trajectory: Series, path: Path) -> None:
    """Write a comment line ``#`` with the metadata, then names, units, and the numbers in full precision."""
    names = ["time", *[name for group in trajectory.names.values() for name in group]]
    groups = {group: len(members) for group, members in trajectory.names.items()}
    numbers = np.column_stack([trajectory[name] for name in names])
    with path.open("w", encoding="utf-8", newline="") as file:
        file.write(f"# {json.dumps({**to_xarray(trajectory).attrs, 'groups': groups})}\n")
        csv.writer(file, lineterminator="\n").writerows([names, [trajectory.unit(name) for name in names]])
        np.savetxt(file, numbers, fmt="%.17g", delimiter=",")


def _load_csv(path: Path) -> xr.Dataset:
    with path.open(encoding="utf-8", newline="") as file:
        first = file.readline()
        if not first.startswith("# {"):
            raise ValueError("its first line is not the '# {...}' of a trajectory")
        attributes = json.loads(first[2:])
        rows = csv.reader(file)
        names, units = next(rows, []), next(rows, [])
        numbers = np.loadtxt(file, delimiter=",", ndmin=2)
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
