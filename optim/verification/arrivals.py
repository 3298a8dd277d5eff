"""Arrivals: the legs of a motion, and how far from their targets they end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.libraries import scipy
from flexblocks.simulation.trajectory import Trajectory
from flexblocks.statics.operating_point import OperatingPoint

from ..collocation.residual_energy import energy_left
from ..presolve.path_values import PathValues

AXES = ("x", "y", "z")


@dataclass(frozen=True, eq=False)
class Leg:
    """A leg: the data of a phase for its replay.

    Attributes
    ----------
    name : str
    inputs : dict of PPoly
        Over the phase's own time [s].
    duration : float
        [s]
    p : ndarray (np,)
    outputs : dict of float
        Target outputs at its end.
    goal : OperatingPoint or None
        What it ends in: an equilibrium, or a known motion through its posture; None if the end is not known.
    ranges : dict of (float, float)
        Limits during the phase.
    path : PathValues
        Further values bounded along the path.
    is_impact : bool
        Whether it begins with the impact of a load at rest.
    rests : bool
        Whether the arm is at rest at its end.
    """

    name: str
    inputs: Mapping[str, scipy.interpolate.PPoly]
    duration: float
    p: np.ndarray
    outputs: Mapping[str, float]
    goal: OperatingPoint | None
    ranges: Mapping[str, tuple[float, float]]
    path: PathValues
    is_impact: bool = False
    rests: bool = True


@dataclass(frozen=True, eq=False)
class Arrival:
    """The arrival: errors at the end of a phase.

    Attributes
    ----------
    phase : str
    end_error : dict of float
        Errors of the states at the goal, by name; empty if the phase ends in motion.
    misses : dict of float
        Distance of every end point of the arm from its target [m], by block; from its planned position if the phase
        ends in motion.
    energy_left : float
        Residual energy [J] above equilibrium at the goal under constant inputs, see `residual_energy`; NaN if the phase
        ends in motion.
    """

    phase: str
    end_error: Mapping[str, float]
    misses: Mapping[str, float]
    energy_left: float


def arrivals(dae: DAE, motion: Trajectory, legs: Sequence[Leg]) -> tuple[Arrival, ...]:
    """Return the arrivals of the legs of a motion, which has samples at these times."""
    arrived, end = [], 0.0
    for leg in legs:
        end += leg.duration
        k = int(np.argmin(np.abs(motion.t - end)))
        # With the parameters of the target: where the next leg begins, the motion has those of that
        p = leg.p if leg.goal is None else leg.goal.p
        there = _outputs(dae, motion.x[k], motion.z[k], motion.u[k], p)
        missed = {name: float(away[0]) for name, away in _distances(there, leg.outputs).items()}
        if leg.goal is None:
            arrived.append(Arrival(leg.name, {}, missed, float("nan")))
            continue
        error = dict(zip(dae.x.names, (motion.x[k] - leg.goal.x).tolist(), strict=True))
        left = energy_left(dae, motion.x[k], leg.goal) if leg.rests else float("nan")
        arrived.append(Arrival(leg.name, error, missed, left))
    return tuple(arrived)


def misses(motion: Trajectory, wanted: Mapping[str, float]) -> dict[str, np.ndarray]:
    """Return the distance (k,) [m] of every end point, by block, from its position in the outputs `wanted`."""
    return _distances({name: motion[name] for name in motion.names["y"]}, wanted)


def outputs_at(dae: DAE, point: OperatingPoint) -> dict[str, float]:
    """Return the outputs at rest, by name."""
    return {name: float(value[0]) for name, value in _outputs(dae, point.x, point.z, point.u, point.p).items()}


def _outputs(dae: DAE, x: np.ndarray, z: np.ndarray, u: np.ndarray, p: np.ndarray) -> dict[str, np.ndarray]:
    more = [z] if len(dae.z) else []
    values = np.array(dae.interpreted.output(x, u, p, *more)).reshape(-1, 1)
    return dict(zip(dae.y.names, values, strict=True))


def _distances(outputs: Mapping[str, np.ndarray], wanted: Mapping[str, float]) -> dict[str, np.ndarray]:
    """Return the distances (k,) [m] of the end points in outputs (k,) from those in `wanted`, by block."""
    ends = [name.removesuffix(".x") for name in outputs if name.endswith(".x")]
    places = {end: [f"{end}.{axis}" for axis in AXES] for end in ends}
    return {
        end: np.linalg.norm([outputs[name] - wanted[name] for name in names], axis=0) for end, names in places.items()
    }
