"""xarray Dataset of rollouts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.libraries import xr as xarray

if TYPE_CHECKING:
    import xarray as xr


def rollout_dataset(dae: DAE, times: np.ndarray, states: np.ndarray, inputs: np.ndarray) -> xr.Dataset:
    """Return a Dataset: a variable (run, time) for each state and input, with attributes ``units`` and ``group``.

    Parameters
    ----------
    dae : DAE
    times : ndarray (samples + 1,)
        [s]
    states : ndarray (runs, samples + 1, nx)
    inputs : ndarray (runs or 1, samples, nu)
        Held; the last ones are those at the end, too.
    """
    held = np.concatenate([inputs, inputs[:, -1:]], axis=1)
    held = np.broadcast_to(held, (len(states), *held.shape[1:]))
    series: dict[str, Any] = {}
    for group, variables, values in (("x", dae.x, states), ("u", dae.u, held)):
        for i, (name, unit) in enumerate(zip(variables.names, variables.units, strict=True)):
            series[name] = (("run", "time"), values[:, :, i], {"units": unit, "group": group})
    return xarray.Dataset(
        series,
        coords={
            "run": ("run", np.arange(len(states))),
            "time": ("time", times, {"units": "s"}),
            "complete": ("run", np.isfinite(states[:, -1]).all(axis=-1)),
        },
        attrs={"name": dae.name},
    )
