"""Replay: the planned inputs applied to the arm in an independent simulation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.interpolate import PPoly

from flexblocks.dae.dae import DAE
from flexblocks.errors import listing
from flexblocks.simulation.simulate import simulate
from flexblocks.simulation.trajectory import Trajectory
from flexblocks.statics.operating_point import OperatingPoint
from flexblocks.validity.large_deflections import without_warning

from ..collocation.residual_energy import energy_left
from ..model.read_solution import joined_trajectory
from ..model.violations import Violation
from ..presolve.path_values import PathValues
from .limit_violations import limit_violations

AXES = ("x", "y", "z")
DEFAULT_MISS = 1e-4  # m, a choice: the miss that counts as none
MOST_ENERGY = 1e-4  # J, a choice: the residual energy that counts as none


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
    """

    name: str
    inputs: Mapping[str, PPoly]
    duration: float
    p: np.ndarray
    outputs: Mapping[str, float]
    goal: OperatingPoint | None
    ranges: Mapping[str, tuple[float, float]]
    path: PathValues
    is_impact: bool = False

    @property
    def rests(self) -> bool:
        """Whether the arm is at rest at the end."""
        if self.goal is None:
            return False
        rates = (value for name, value in zip(self.goal.states, self.goal.x, strict=True) if name.startswith("der("))
        return not any(rates)


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


@dataclass(frozen=True, eq=False)
class Replay:
    """The replay of a plan: the simulated motion of the arm under the planned inputs.

    Attributes
    ----------
    trajectory : Trajectory
        The simulated motion of the first scenario.
    arrivals : tuple of Arrival
        One for each phase, scenario after scenario.
    scenarios : tuple of Replay
        The replay of each scenario; empty if there is only one.
    excesses : tuple of Violation
        Violated limits of states, outputs, regions and expressions, typically between mesh and collocation points; each
        once with its largest violation and time, worst first.
    """

    trajectory: Trajectory
    arrivals: tuple[Arrival, ...]
    scenarios: tuple[Replay, ...] = ()
    excesses: tuple[Violation, ...] = ()

    @property
    def end_error(self) -> Mapping[str, float]:
        """Errors of the final states at the goal, by name, in the first scenario."""
        return (self.scenarios[0] if self.scenarios else self).arrivals[-1].end_error

    @property
    def misses(self) -> dict[str, float]:
        """Largest distance of every end point from its target at the end of a phase [m], by block."""
        motion: dict[str, float] = {}
        for arrival in self.arrivals:
            motion |= {name: max(miss, motion.get(name, 0.0)) for name, miss in arrival.misses.items()}
        return motion

    @property
    def tip_miss(self) -> float:
        """The largest of the `misses` [m]; NaN for an arm without end points."""
        return max(self.misses.values(), default=float("nan"))

    @property
    def energy_left(self) -> float:
        """The residual energy [J] at a goal, the largest in magnitude; NaN if no phase ends at rest."""
        left = [arrival.energy_left for arrival in self.arrivals if np.isfinite(arrival.energy_left)]
        return max(left, key=abs, default=float("nan"))

    def __str__(self) -> str:
        if self.scenarios:
            return "\n".join(f"scenario {i}: {scenario}" for i, scenario in enumerate(self.scenarios))
        misses = ", ".join(f"{name} {1e3 * miss:.3g} mm" for name, miss in self.misses.items())
        left = "" if np.isnan(self.energy_left) else f"; {self.energy_left:.3g} J left"
        beyond = f"; beyond its limits: {listing(map(str, self.excesses), 3)}" if self.excesses else ""
        return f"replayed: misses the goal by {misses or 'no end point'}{left}{beyond}"


def replay(dae: DAE, start: OperatingPoint, legs: Sequence[Leg], *, rtol: float, atol: float, method: str) -> Replay:
    """Replay the legs: simulate them in sequence from rest at `start`, and compare the end of each with its target."""
    parts: list[Trajectory] = []
    x, p, begin, beyond = start.x, legs[0].p, 0.0, []
    for leg in legs:
        if leg.is_impact:
            x = after_impact(dae, x, p, leg.p)
        p = leg.p
        with without_warning():
            parts.append(simulate(dae, (0.0, leg.duration), leg.inputs, x, p, method, rtol=rtol, atol=atol))
        x = parts[-1].x[-1]
        if leg.ranges or len(leg.path):
            beyond += limit_violations(leg.path, leg.ranges, parts[-1], leg.inputs, p, begin)
        begin += leg.duration
    motion = joined_trajectory(parts)
    beyond.sort(key=lambda violation: -violation.amount)
    return Replay(motion, arrivals(dae, motion, legs), excesses=tuple(beyond))


def arrivals(dae: DAE, motion: Trajectory, legs: Sequence[Leg]) -> tuple[Arrival, ...]:
    """Return the arrivals of the legs of a motion, which has samples at these times."""
    arrived, end = [], 0.0
    for leg in legs:
        end += leg.duration
        k = int(np.argmin(np.abs(motion.t - end)))
        missed = {name: float(away[k]) for name, away in misses(motion, leg.outputs).items()}
        if leg.goal is None:
            arrived.append(Arrival(leg.name, {}, missed, float("nan")))
            continue
        error = dict(zip(dae.x.names, (motion.x[k] - leg.goal.x).tolist(), strict=True))
        left = energy_left(dae, motion.x[k], leg.goal) if leg.rests else float("nan")
        arrived.append(Arrival(leg.name, error, missed, left))
    return tuple(arrived)


def side_by_side(scenarios: Sequence[Replay]) -> Replay:
    """Combine the replays of several scenarios into one."""
    first, *rest = scenarios
    if not rest:
        return first
    beyond = sorted((excess for s in scenarios for excess in s.excesses), key=lambda violation: -violation.amount)
    return replace(
        first,
        arrivals=tuple(a for s in scenarios for a in s.arrivals),
        scenarios=tuple(scenarios),
        excesses=tuple(beyond),
    )


def after_impact(dae: DAE, x: np.ndarray, before: np.ndarray, after: np.ndarray) -> np.ndarray:
    """Return the states after an impact, which conserves momentum: M_after v_after = M_before v_before."""
    n = dae.tree.size
    momentum = dae.mass_matrix(x[:n], before).full() @ x[n : 2 * n]
    v = np.linalg.solve(dae.mass_matrix(x[:n], after).full(), momentum)
    return np.concatenate([x[:n], v, x[2 * n :]])


def misses(motion: Trajectory, wanted: Mapping[str, float]) -> dict[str, np.ndarray]:
    """Return the distance (k,) [m] of every end point, by block, from its position in the outputs `wanted`."""
    ends = [name.removesuffix(".x") for name in motion.names["y"] if name.endswith(".x")]
    places = {end: [f"{end}.{axis}" for axis in AXES] for end in ends}
    return {
        end: np.linalg.norm([motion[name] - wanted[name] for name in names], axis=0) for end, names in places.items()
    }


def outputs_at(dae: DAE, point: OperatingPoint) -> dict[str, float]:
    """Return the outputs at rest, by name."""
    more = [point.z] if len(dae.z) else []
    values = np.array(dae.output(point.x, point.u, point.p, *more)).ravel().tolist()
    return dict(zip(dae.y.names, values, strict=True))
