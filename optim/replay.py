"""The truth about a plan: its inputs applied to the arm in an independent simulation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from scipy.interpolate import PPoly

from flexblocks.dae import DAE
from flexblocks.operating_point import OperatingPoint
from flexblocks.simulation.simulate import simulate
from flexblocks.simulation.trajectory import Trajectory

AXES = ("x", "y", "z")
# What counts as having arrived, unless the user says otherwise.
DEFAULT_MISS = 1e-4  # m
MOST_ENERGY = 1e-4  # J


@dataclass(frozen=True, eq=False)
class Replay:
    """What the arm does under the planned inputs.

    Attributes
    ----------
    trajectory : Trajectory
    end_error : dict of float
        States at the end less those of the goal, by name.
    misses : dict of float
        Distance from the place at the goal [m] of every end of the arm, by block.
    energy_left : float
        Energy [J] by which the arm exceeds rest at the goal, held there by constant inputs: kinetic energy, and
        potential energy less the work of the holding inputs.
    """

    trajectory: Trajectory
    end_error: Mapping[str, float]
    misses: Mapping[str, float]
    energy_left: float

    @property
    def tip_miss(self) -> float:
        """The largest of the `misses` [m]; nan for an arm without ends."""
        return max(self.misses.values(), default=float("nan"))

    def __str__(self) -> str:
        misses = ", ".join(f"{name} {1e3 * miss:.3g} mm" for name, miss in self.misses.items())
        return f"replayed: misses the goal by {misses or 'nothing that has a place'}; {self.energy_left:.3g} J left"


def replay(
    dae: DAE,
    inputs: Mapping[str, PPoly],
    duration: float,
    start: OperatingPoint,
    goal: OperatingPoint,
    *,
    rtol: float,
    atol: float,
    method: str,
) -> Replay:
    """Simulate `inputs` from rest at `start` and compare the end with rest at `goal`."""
    found = simulate(dae, (0.0, duration), inputs, start.x, start.p, method, rtol=rtol, atol=atol)
    end = found.x[-1]
    error = dict(zip(dae.x.names, (end - goal.x).tolist(), strict=True))
    missed = {name: float(away[-1]) for name, away in misses(found, outputs_at(dae, goal)).items()}
    return Replay(found, error, missed, energy_left(dae, end, goal))


def misses(found: Trajectory, wanted: Mapping[str, float]) -> dict[str, np.ndarray]:
    """Return for every end of the arm, by block, its distance (k,) [m] from its place in the outputs `wanted`."""
    ends = [name.removesuffix(".x") for name in found.names["y"] if name.endswith(".x")]
    places = {end: [f"{end}.{axis}" for axis in AXES] for end in ends}
    return {
        end: np.linalg.norm([found[name] - wanted[name] for name in names], axis=0) for end, names in places.items()
    }


def outputs_at(dae: DAE, point: OperatingPoint) -> dict[str, float]:
    """Return the outputs at rest, by name."""
    more = [point.z] if len(dae.z) else []
    found = np.array(dae.output(point.x, point.u, point.p, *more)).ravel().tolist()
    return dict(zip(dae.y.names, found, strict=True))


def energy_left(dae: DAE, end: np.ndarray, goal: OperatingPoint) -> float:
    """Return the energy [J] by which the states `end` exceed rest at the goal, held there by constant inputs."""
    n = dae.tree.size
    more = [goal.z] if len(dae.z) else []
    holding = np.array(dae.input_force(goal.x, goal.u, goal.p, *more)).ravel()
    kinetic, potential = (float(e) for e in dae.energy(end, goal.p))
    return kinetic + potential - float(dae.energy(goal.x, goal.p)[1]) - float(holding @ (end - goal.x)[:n])
