"""xarray Dataset of the runs of a batch."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.libraries import xr
from flexblocks.simulation.cases import Cases
from flexblocks.simulation.signals.parameters import change, parameters
from flexblocks.simulation.trajectory import ENERGIES, GROUPS, Trajectory


class Runs:
    """Collects trajectories as runs end, and builds the Dataset of all; what was not reached is nan.

    Parameters
    ----------
    dae : DAE
    times : ndarray (k,)
        Output times [s] of all runs.
    batch : Cases
    """

    def __init__(self, dae: DAE, times: np.ndarray, batch: Cases) -> None:
        self.dae, self.times, self.batch = dae, times, batch
        self.groups = {"x": dae.x, "z": dae.z, "u": dae.u, "y": dae.y}
        sizes = {group: len(variables) for group, variables in self.groups.items()} | {"energy": len(ENERGIES)}
        # The variable comes first, so that each variable is one contiguous block of memory.
        self.values = {group: np.full((size, len(batch), len(times)), np.nan) for group, size in sizes.items()}
        self.complete = np.zeros(len(batch), dtype=bool)
        self.dissipated = np.full(len(batch), np.nan)

    def put(self, run: int, trajectory: Trajectory) -> None:
        """Store the trajectory of a run, as far as it went."""
        for group in GROUPS:
            self.values[group][:, run, : len(trajectory)] = getattr(trajectory, group).T
        self.complete[run] = trajectory.complete
        if trajectory.dissipated is not None:
            self.dissipated[run] = trajectory.dissipated

    def dataset(self) -> xr.Dataset:
        """Return the Dataset: a variable (run, time) for each name, and coordinates for what varies."""
        series: dict[str, Any] = {}
        for group in GROUPS:
            names = self.groups[group].names if group in self.groups else ENERGIES
            units = self.groups[group].units if group in self.groups else ("J",) * len(ENERGIES)
            for name, unit, values in zip(names, units, self.values[group], strict=True):
                series[name] = (("run", "time"), values, {"units": unit, "group": group})
        varying = self._varying()
        if np.isfinite(self.dissipated).any():
            varying["dissipated"] = ("run", self.dissipated, {"units": "J"})
        fixed = self.batch.fixed["p"]
        changing = parameters(self.dae, fixed, self.times, "simulate_batch").values[0] if change(fixed) else None
        shared = self.dae.p.values(fixed) if changing is None else changing
        constant = {
            name: value
            for name, value in zip(self.dae.p.names, shared.tolist(), strict=True)
            if f"p[{name}]" not in varying
        }
        return xr.Dataset(
            series,
            coords={
                "run": ("run", np.arange(len(self.batch))),
                "time": ("time", self.times, {"units": "s"}),
                "complete": ("run", self.complete),
                **varying,
            },
            attrs={
                "name": self.dae.name,
                "parameters": json.dumps(constant),
                "complete": int(self.complete.all()),
            },
        )

    def _varying(self) -> dict[str, Any]:
        """Return a coordinate for each name that varies."""
        groups = {"u": self.dae.u, "x0": self.dae.x, "p": self.dae.p}
        coordinates = {}
        for axis, chosen in zip(self.batch.axes, self.batch.choice.T, strict=True):
            for name, values in axis.columns.items():
                if all(isinstance(value, (int, float, np.number)) for value in values):
                    entry = np.array(values, dtype=float)[chosen], {"units": groups[axis.argument].unit(name)}
                else:
                    entry = chosen, {"long_name": "position in the list of signals"}
                coordinates[f"{axis.argument}[{name}]"] = ("run", *entry)
        return coordinates
