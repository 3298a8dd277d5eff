"""A plan as an xarray Dataset."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.libraries import xr
from flexblocks.simulation.trajectory import Trajectory


def dataset(
    dae: DAE, motions: Sequence[Trajectory], phases: Mapping[str, tuple[float, float]], p: np.ndarray
) -> xr.Dataset:
    """Return motions as a Dataset over ``time``, and over ``scenario`` if there are several.

    Parameters
    ----------
    dae : DAE
    motions : sequence of Trajectory
        By scenario.
    phases : dict of (float, float)
        Begin and end of each phase [s].
    p : ndarray (scenarios, np)
        The parameters in the first phase.
    """
    data = motions[0].to_xarray()
    coordinates: dict[str, Any] = {}
    if len(motions) > 1:
        data = xr.concat([motion.to_xarray() for motion in motions], "scenario", combine_attrs="drop_conflicts")
        coordinates["scenario"] = np.arange(len(motions))
        for name, unit, values in zip(dae.p.names, dae.p.units, p.T, strict=True):
            if np.ptp(values):
                coordinates[f"p[{name}]"] = ("scenario", values, {"units": unit})
    begins = [begin for begin, _ in phases.values()]
    which = np.searchsorted(begins, data["time"].values, side="right") - 1
    coordinates["phase"] = ("time", np.array(list(phases))[which])
    return data.assign_coords(coordinates)
