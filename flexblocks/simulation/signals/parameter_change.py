"""Changes of parameters in a run: the jump of the rates, and that of the energy."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from flexblocks.constraints.parameter_changes import after_change
from flexblocks.dae.dae import DAE


@dataclass(frozen=True)
class ParameterChange:
    """A change of parameters in a run.

    Attributes
    ----------
    time : float
        [s]
    parameters : dict of tuple of 2 floats
        By name, the values before and after.
    kinetic_energy, potential_energy : tuple of 2 floats
        Before and after [J]. A load at rest that is taken up costs kinetic energy; one that is released takes its own
        along.
    """

    time: float
    parameters: Mapping[str, tuple[float, float]]
    kinetic_energy: tuple[float, float]
    potential_energy: tuple[float, float]

    @property
    def energy_jump(self) -> float:
        """Energy of the arm after the change less that before it [J]."""
        (T, T_after), (V, V_after) = self.kinetic_energy, self.potential_energy
        return (T_after - T) + (V_after - V)

    def __str__(self) -> str:
        told = ", ".join(f"{name} {before:g} -> {after:g}" for name, (before, after) in self.parameters.items())
        return f"{told} at t = {self.time:.6g} s: energy changes by {self.energy_jump:.3g} J"


def changed(
    dae: DAE, time: float, X: np.ndarray, z: np.ndarray, before: np.ndarray, after: np.ndarray, pick_up: str
) -> tuple[np.ndarray, ParameterChange]:
    """Return the state with work (nx + 1,) after parameters change from `before` to `after` (np,), and what changes.

    Loads that are taken up are at rest if `pick_up` is ``"impact"``; if it is ``"matched"`` they move with the arm.
    """
    x = X[:-1]
    new = after_change(dae, x, before, after) if pick_up == "impact" else x
    more = [z] if dae.interpreted.energy.n_in() == 3 else []
    energies = [[float(part) for part in dae.interpreted.energy(*at, *more)] for at in ((x, before), (new, after))]
    (T, V), (T_after, V_after) = energies
    names = [(dae.p.names[k], (float(before[k]), float(after[k]))) for k in np.flatnonzero(before != after)]
    return np.append(new, X[-1]), ParameterChange(time, dict(names), (T, T_after), (V, V_after))


def read_changes(text: str) -> tuple[ParameterChange, ...]:
    """Return the changes in a JSON text of their fields."""
    found = []
    for each in json.loads(text):
        values = {name: (float(before), float(after)) for name, (before, after) in each["parameters"].items()}
        (T, T_after), (V, V_after) = (map(float, each[f"{kind}_energy"]) for kind in ("kinetic", "potential"))
        found.append(ParameterChange(float(each["time"]), values, (T, T_after), (V, V_after)))
    return tuple(found)
