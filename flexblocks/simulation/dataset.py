"""Trajectories as xarray Datasets and pandas DataFrames."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import xarray as xr

from flexblocks.errors import FileFormatError
from flexblocks.simulation.trajectory import GROUPS, Trajectory


def to_xarray(trajectory: Trajectory) -> xr.Dataset:
    """Return a trajectory as a Dataset; each variable's attribute ``group`` says what it is: x, z, u, y or energy."""
    series = {
        name: ("time", trajectory[name], {"units": trajectory.unit(name), "group": group})
        for group in GROUPS
        for name in trajectory.names[group]
    }
    return xr.Dataset(
        series,
        coords={"time": ("time", trajectory.t, {"units": "s"})},
        attrs={
            "model": trajectory.model,
            "parameters": json.dumps(dict(trajectory.p)),
            "complete": int(trajectory.complete),
        },
    )


def from_xarray(dataset: xr.Dataset) -> Trajectory:
    """Return the trajectory of such a Dataset.

    Raises
    ------
    FileFormatError
        It is not one.
    """
    try:
        names = {
            group: tuple(str(n) for n, v in dataset.data_vars.items() if v.attrs["group"] == group) for group in GROUPS
        }
        t = np.asarray(dataset["time"].values, dtype=float)
        columns = {
            group: np.array([dataset[name].values for name in names[group]], dtype=float).reshape(-1, len(t)).T
            for group in GROUPS
        }
        return Trajectory(
            model=dataset.attrs["model"],
            t=t,
            **columns,
            names=names,
            units={name: dataset[name].attrs["units"] for group in GROUPS for name in names[group]},
            p=json.loads(dataset.attrs["parameters"]),
            complete=bool(dataset.attrs["complete"]),
        )
    except (KeyError, ValueError, TypeError) as error:
        raise FileFormatError(f"Not the dataset of a trajectory: {type(error).__name__}: {error}.") from None


def to_pandas(trajectory: Trajectory) -> pd.DataFrame:
    """Return a trajectory as a DataFrame over the index ``time``."""
    names = [name for group in GROUPS for name in trajectory.names[group]]
    columns = np.hstack([getattr(trajectory, group) for group in GROUPS])
    frame = pd.DataFrame(columns, index=pd.Index(trajectory.t, name="time"), columns=names)
    frame.attrs = {"model": trajectory.model, "units": {name: trajectory.unit(name) for name in names}}
    return frame
