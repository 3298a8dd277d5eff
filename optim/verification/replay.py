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

from ..collocation.residual_energy import energy_left
from ..model.read_solution import joined_trajectory
from ..model.violations import Violation
from ..presolve.path_values import PathValues
from .limit_violations import limit_violations

AXES = ("x", "y", "z")
DEFAULT_MISS = 1e-4  # m
MOST_ENERGY = 1e-4  # J


@dataclass(frozen=True, eq=False)
class Leg:
    """A phase as it is replayed.

    Attributes
    ----------
    name : str
    inputs : dict of PPoly
        Over the phase's own time [s].
    duration : float
        [s]
    p : ndarray (np,)
    outputs : dict of float
        Where it is to end, by output.
    goal : OperatingPoint or None
        Rest there; None where it ends in motion.
    ranges : dict of (float, float)
        The limits during it.
    path : PathValues
        What else is limited on the way.
    is_impact : bool
        Whether it begins with a load at rest being jerked along.
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


@dataclass(frozen=True, eq=False)
class Arrival:
    """How a phase ends.

    Attributes
    ----------
    phase : str
    end_error : dict of float
        States less those of the goal, by name; empty where the phase ends in motion.
    misses : dict of float
        Distance of every end of the arm from its place at the goal [m], or in the plan where the phase ends in motion,
        by block.
    energy_left : float
        Energy [J] by which the arm exceeds rest at the goal, held there by constant inputs, see `residual_energy`. nan
        where the phase ends in motion.
    """

    phase: str
    end_error: Mapping[str, float]
    misses: Mapping[str, float]
    energy_left: float


@dataclass(frozen=True, eq=False)
class Replay:
    """What the arm does under the planned inputs.

    Attributes
    ----------
    trajectory : Trajectory
        Of the first scenario.
    arrivals : tuple of Arrival
        At the end of each phase, of all scenarios one after the other.
    scenarios : tuple of Replay
        Each scenario by itself; empty where there is but one.
    excesses : tuple of Violation
        What goes beyond its limits somewhere between mesh and collocation points: limits on states and outputs,
        regions, expressions; each once with its greatest excess and when, worst first.
    """

    trajectory: Trajectory
    arrivals: tuple[Arrival, ...]
    scenarios: tuple[Replay, ...] = ()
    excesses: tuple[Violation, ...] = ()

    @property
    def end_error(self) -> Mapping[str, float]:
        """States at the end less those of the goal, by name, in the first scenario."""
        return (self.scenarios[0] if self.scenarios else self).arrivals[-1].end_error

    @property
    def misses(self) -> dict[str, float]:
        """Largest distance of every end of the arm from its place at the end of a phase [m], by block."""
        found: dict[str, float] = {}
        for arrival in self.arrivals:
            found |= {name: max(miss, found.get(name, 0.0)) for name, miss in arrival.misses.items()}
        return found

    @property
    def tip_miss(self) -> float:
        """The largest of the `misses` [m]; nan for an arm without ends."""
        return max(self.misses.values(), default=float("nan"))

    @property
    def energy_left(self) -> float:
        """The energy [J] left at a goal, the largest in magnitude; nan where no phase ends at rest."""
        left = [arrival.energy_left for arrival in self.arrivals if np.isfinite(arrival.energy_left)]
        return max(left, key=abs, default=float("nan"))

    def __str__(self) -> str:
        if self.scenarios:
            return "\n".join(f"scenario {i}: {scenario}" for i, scenario in enumerate(self.scenarios))
        misses = ", ".join(f"{name} {1e3 * miss:.3g} mm" for name, miss in self.misses.items())
        left = "" if np.isnan(self.energy_left) else f"; {self.energy_left:.3g} J left"
        beyond = f"; beyond its limits: {listing(map(str, self.excesses), 3)}" if self.excesses else ""
        return f"replayed: misses the goal by {misses or 'nothing that has a place'}{left}{beyond}"


def replay(dae: DAE, start: OperatingPoint, legs: Sequence[Leg], *, rtol: float, atol: float, method: str) -> Replay:
    """Simulate the legs one after the other, from rest at `start`, and compare the end of each with its target."""
    parts: list[Trajectory] = []
    x, p, begin, beyond = start.x, legs[0].p, 0.0, []
    for leg in legs:
        if leg.is_impact:
            x = after_impact(dae, x, p, leg.p)
        p = leg.p
        parts.append(simulate(dae, (0.0, leg.duration), leg.inputs, x, p, method, rtol=rtol, atol=atol))
        x = parts[-1].x[-1]
        if leg.ranges or len(leg.path):
            beyond += limit_violations(leg.path, leg.ranges, parts[-1], leg.inputs, p, begin)
        begin += leg.duration
    motion = joined_trajectory(parts)
    beyond.sort(key=lambda violation: -violation.amount)
    return Replay(motion, arrivals(dae, motion, legs), excesses=tuple(beyond))


def arrivals(dae: DAE, motion: Trajectory, legs: Sequence[Leg]) -> tuple[Arrival, ...]:
    """Return how the legs of a motion end; it has samples at these times."""
    found, end = [], 0.0
    for leg in legs:
        end += leg.duration
        k = int(np.argmin(np.abs(motion.t - end)))
        missed = {name: float(away[k]) for name, away in misses(motion, leg.outputs).items()}
        if leg.goal is None:
            found.append(Arrival(leg.name, {}, missed, float("nan")))
            continue
        error = dict(zip(dae.x.names, (motion.x[k] - leg.goal.x).tolist(), strict=True))
        found.append(Arrival(leg.name, error, missed, energy_left(dae, motion.x[k], leg.goal)))
    return tuple(found)


def side_by_side(scenarios: Sequence[Replay]) -> Replay:
    """Return the replays of several scenarios as one."""
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
    """Return the states after the parameters change and momentum stays: M_after v_after = M_before v_before."""
    n = dae.tree.size
    momentum = dae.mass_matrix(x[:n], before).full() @ x[n : 2 * n]
    v = np.linalg.solve(dae.mass_matrix(x[:n], after).full(), momentum)
    return np.concatenate([x[:n], v, x[2 * n :]])


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
