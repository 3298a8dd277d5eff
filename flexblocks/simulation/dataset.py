"""Conversion of trajectories to xarray Datasets and pandas DataFrames, and back; their ranges."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, Protocol

import numpy as np

from flexblocks.errors import FileFormatError, suggestion
from flexblocks.libraries import pd, xr
from flexblocks.simulation.signals.parameter_change import read_changes

# What methods that damp vibrations say of them.
DAMPING = ("dissipated", "damped_modes")


class Measurements(Protocol):
    """Protocol of a record: inputs and measurements by name."""

    @property
    def name(self) -> str: ...
    @property
    def t(self) -> np.ndarray: ...
    @property
    def names(self) -> Mapping[str, tuple[str, ...]]: ...
    @property
    def x0(self) -> Mapping[str, float]: ...
    def __getitem__(self, name: str, /) -> np.ndarray: ...
    def unit(self, name: str, /) -> str: ...


class Series(Protocol):
    """Protocol of a trajectory: read-only time series by name, in groups."""

    @property
    def name(self) -> str: ...
    @property
    def t(self) -> np.ndarray: ...
    @property
    def names(self) -> Mapping[str, tuple[str, ...]]: ...
    @property
    def p(self) -> Mapping[str, float]: ...
    @property
    def complete(self) -> bool: ...
    def __getitem__(self, name: str, /) -> np.ndarray: ...
    def unit(self, name: str, /) -> str: ...


def to_xarray(trajectory: Series) -> xr.Dataset:
    """Return a trajectory as a Dataset; the attribute ``group`` of each variable is x, z, u, y or energy."""
    series = {
        name: ("time", trajectory[name], {"units": trajectory.unit(name), "group": group})
        for group, names in trajectory.names.items()
        for name in names
    }
    changes = getattr(trajectory, "changes", ())
    return xr.Dataset(
        series,
        coords={"time": ("time", trajectory.t, {"units": "s"})},
        attrs={
            "name": trajectory.name,
            "parameters": json.dumps(dict(trajectory.p)),
            "complete": int(trajectory.complete),
            **{name: json.dumps(value) for name in DAMPING if (value := getattr(trajectory, name, None)) is not None},
            **({"changes": json.dumps([asdict(change) for change in changes])} if changes else {}),
        },
    )


def trajectory_fields(dataset: xr.Dataset, groups: Sequence[str]) -> dict[str, Any]:
    """Return the fields of the trajectory in a Dataset by name; `groups` are the groups of a trajectory.

    Raises
    ------
    FileFormatError
        The Dataset is not one of a trajectory.
    """
    try:
        names = {
            group: tuple(str(n) for n, v in dataset.data_vars.items() if v.attrs["group"] == group) for group in groups
        }
        t = np.asarray(dataset["time"].values, dtype=float)
        columns = {
            group: np.array([dataset[name].values for name in names[group]], dtype=float).reshape(-1, len(t)).T
            for group in groups
        }
        return {
            "name": dataset.attrs["name"],
            "t": t,
            **columns,
            "names": names,
            "units": {name: dataset[name].attrs["units"] for group in groups for name in names[group]},
            "p": json.loads(dataset.attrs["parameters"]),
            "complete": bool(dataset.attrs["complete"]),
            **damping_fields(dataset),
            **({"changes": read_changes(dataset.attrs["changes"])} if "changes" in dataset.attrs else {}),
        }
    except (KeyError, ValueError, TypeError) as error:
        raise FileFormatError(f"Not the dataset of a trajectory: {type(error).__name__}: {error}.") from None


def damping_fields(dataset: xr.Dataset) -> dict[str, Any]:
    """Return what the method of a motion, or of one run of a batch, has damped by the names of its fields."""
    said = {name: json.loads(dataset.attrs[name]) for name in DAMPING if name in dataset.attrs}
    if "damped_modes" in said:
        said["damped_modes"] = tuple(said["damped_modes"])
    if "dissipated" in dataset.coords and np.isfinite(lost := float(dataset.coords["dissipated"])):
        said["dissipated"] = lost
    return said


def record_dataset(record: Measurements) -> xr.Dataset:
    """Return a record as a Dataset; the attribute ``group`` of each variable is u or y."""
    series = {
        name: ("time", record[name], {"units": record.unit(name), "group": group})
        for group, names in record.names.items()
        for name in names
    }
    time = ("time", record.t, {"units": "s"})
    return xr.Dataset(series, coords={"time": time}, attrs={"name": record.name, "x0": json.dumps(dict(record.x0))})


def record_fields(dataset: xr.Dataset) -> dict[str, Any]:
    """Return the fields of the record in a Dataset by name.

    Raises
    ------
    FileFormatError
        The Dataset has no coordinate ``time``, or no variables of the groups u and y.
    """
    groups = {
        group: {str(name): v.values for name, v in dataset.data_vars.items() if v.attrs.get("group") == group}
        for group in ("u", "y")
    }
    if "time" not in dataset.coords or not (groups["u"] or groups["y"]):
        raise FileFormatError(
            "Not the dataset of a record: must have the coordinate time, and variables with the attribute group, 'u' "
            "for inputs or 'y' for what was measured."
        )
    names = (*groups["u"], *groups["y"])
    units = {name: dataset[name].attrs["units"] for name in names if "units" in dataset[name].attrs}
    try:
        x0 = json.loads(dataset.attrs.get("x0", "{}"))
    except (TypeError, ValueError) as error:
        raise FileFormatError(f"Not the dataset of a record: attribute x0: {error}.") from None
    return {
        "t": dataset["time"].values,
        **groups,
        "x0": x0,
        "units": units,
        "name": dataset.attrs.get("name", "record"),
    }


def variables_over_time(dataset: xr.Dataset, wanted: Sequence[str]) -> tuple[dict[str, np.ndarray], dict[str, str]]:
    """Return variables (k,) with their times by name, and the name of the times of each variable.

    Raises
    ------
    FileFormatError
        There is no such variable, or its dimension has no coordinate.
    """
    columns: dict[str, np.ndarray] = {}
    times: dict[str, str] = {}
    for name in wanted:
        if name not in dataset.data_vars:
            known = [str(one) for one in dataset.data_vars]
            raise FileFormatError(f"Record: there is no variable '{name}'{suggestion(name, known, 'it has')}")
        variable = dataset[name]
        if variable.ndim != 1 or variable.dims[0] not in dataset.coords:
            dims = ", ".join(map(str, variable.dims)) or "none"
            raise FileFormatError(
                f"Record: variable '{name}' has the dimensions {dims}; must have one, whose coordinate is its time."
            )
        times[name] = str(variable.dims[0])
        columns[name] = variable.values
        columns[times[name]] = dataset[times[name]].values
    return columns, times


def to_pandas(trajectory: Series) -> pd.DataFrame:
    """Return a trajectory as a DataFrame over the index ``time``."""
    names = [name for group in trajectory.names.values() for name in group]
    columns = np.array([trajectory[name] for name in names]).reshape(len(names), len(trajectory.t)).T
    frame = pd.DataFrame(columns, index=pd.Index(trajectory.t, name="time"), columns=names)
    frame.attrs = {"name": trajectory.name, "units": {name: trajectory.unit(name) for name in names}}
    return frame


def ranges(motion: Series) -> list[dict[str, Any]]:
    """Return the least, largest and last value of coordinates, inputs, outputs and energies."""
    coordinates = [name for name in motion.names["x"] if not name.startswith("der(")]
    shown = [*coordinates, *(name for group in ("z", "u", "y", "energy") for name in motion.names[group])]
    return [
        {
            "name": name,
            "unit": motion.unit(name),
            "least": float(motion[name].min()),
            "largest": float(motion[name].max()),
            "last": float(motion[name][-1]),
        }
        for name in shown
    ]
