"""A plan as an xarray Dataset."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import xarray as xr

from ..model.trajectories import arcs

if TYPE_CHECKING:
    from .plan import Plan


def dataset(plan: Plan) -> xr.Dataset:
    """Return the motion over ``time``, and over ``scenario`` where there are several."""
    phases = plan.phases
    motions = [motion.to_xarray() for motion in plan.trajectories]
    found = motions[0]
    coordinates: dict[str, Any] = {}
    if len(motions) > 1:
        found = xr.concat(motions, "scenario", combine_attrs="drop_conflicts")
        coordinates["scenario"] = np.arange(len(motions))
        p = np.array([run[0].p for run in arcs(plan.model)])
        for name, unit, own in zip(plan.outline.dae.p.names, plan.outline.dae.p.units, p.T, strict=True):
            if np.ptp(own):
                coordinates[f"p[{name}]"] = ("scenario", own, {"units": unit})
    begins = [begin for begin, _ in phases.values()]
    which = np.searchsorted(begins, found["time"].values, side="right") - 1
    coordinates["phase"] = ("time", np.array(list(phases))[which])
    return found.assign_coords(coordinates)
