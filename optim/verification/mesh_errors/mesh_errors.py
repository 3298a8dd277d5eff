"""Errors of the mesh of a plan, in the arm's size: local ones, and what they grow to without feedback."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...model.trajectories import PhaseTrajectory
from ...tolerances import NEGLIGIBLE
from ..criteria import Allowed
from .local_errors import LocalErrors, deviation_energy, displaced, local_errors

# Growth from which on a plan is judged, and replayed, with feedback. Stable arms stay below 12 (a boom on a floating
# base), raised cranes begin at thousands: e^(0.73 t) and more.
UNSTABLE = 100.0
# A mesh is called too coarse beyond this multiple of what is negligible: the estimate of what the errors amount to at
# the goal is up to five times what a replay misses by (docs/planning_theory.md).
COARSE = 5.0
# A plan is called unresolved where its errors exceed this share of the arm's reach: its motion is then another one.
RESOLVED = 0.01
MOST_TOLD = 1e6  # growth that a message gives as a number
BEYOND = "farther off than the arm reaches"


@dataclass(frozen=True, eq=False)
class MeshErrors:
    """The errors of a plan's mesh.

    Attributes
    ----------
    phases : tuple of tuple of LocalErrors
        By scenario, then by phase.
    growth : float
        By how much an error on the way has grown at most at the end, if nothing corrects it, in the arm's scaling (see
        `LocalErrors`).
    drift : float
        What all local errors amount to at the end without feedback: displacement of an end point [m].
    drift_energy : float
        Likewise the energy of that deviation [J].
    allowed : Allowed
    """

    phases: tuple[tuple[LocalErrors, ...], ...]
    growth: float
    drift: float
    drift_energy: float
    allowed: Allowed

    @property
    def needs_feedback(self) -> bool:
        """Whether errors grow so much that only with feedback a motion can be what was planned."""
        return not self.growth <= UNSTABLE

    @property
    def miss(self) -> float:
        """The largest local error of an end point [m]."""
        return max(float(one.miss.max()) for run in self.phases for one in run)

    @property
    def energy(self) -> float:
        """The largest energy of a local error [J]."""
        return max(float(one.energy.max()) for run in self.phases for one in run)

    @property
    def excess(self) -> float:
        """The errors relative to what is allowed: at the end, or each by itself if the arm needs feedback."""
        if self.needs_feedback:
            return self.excess_of_intervals
        return max(self.drift / self.allowed.miss, self.drift_energy / self.allowed.energy)

    @property
    def excess_of_intervals(self) -> float:
        """The largest local error relative to what is allowed."""
        return max(float(self.of_intervals(i).max()) for i in range(len(self.phases[0])))

    @property
    def is_too_coarse(self) -> bool:
        return not self.excess <= COARSE

    @property
    def is_judged(self) -> bool:
        """Whether all errors are numbers: linearised about a motion that is none, they may grow beyond all."""
        return bool(np.isfinite(self.miss) and np.isfinite(self.energy))

    @property
    def is_resolved(self) -> bool:
        """Whether the errors are within a hundredth of the reach: at the end, or each by itself if the arm needs
        feedback; of an arm without end points that move, whether their energy is within that of the motion."""
        far, left = (self.miss, self.energy) if self.needs_feedback else (self.drift, self.drift_energy)
        far, left = max(far, self.miss), max(left, self.energy)
        return far <= RESOLVED * self.reach if far > 0 else NEGLIGIBLE * left <= self.allowed.energy

    @property
    def reach(self) -> float:
        """The reach of the arm [m]."""
        return self.allowed.share / NEGLIGIBLE

    def of_intervals(self, phase: int) -> np.ndarray:
        """Return the local errors of a phase's intervals (K,) relative to what is allowed, worst over scenarios."""
        return np.max(
            [
                np.maximum(run[phase].miss / self.allowed.miss, run[phase].energy / self.allowed.energy)
                for run in self.phases
            ],
            axis=0,
        )

    def worst(self) -> tuple[float, float]:
        """Return begin and end [s] of the interval with the largest local error."""
        errors = [self.of_intervals(i) for i in range(len(self.phases[0]))]
        phase = int(np.argmax([one.max() for one in errors]))
        k = int(np.argmax(errors[phase]))
        before = sum(one.times[-1] for one in self.phases[0][:phase])
        times = before + self.phases[0][phase].times
        return float(times[k]), float(times[k + 1])

    @property
    def is_worst_at_an_end(self) -> bool:
        """Whether the interval with the largest local error is the first or the last of all."""
        begin, end = self.worst()
        last = sum(float(one.times[-1]) for one in self.phases[0])
        return begin == 0.0 or bool(np.isclose(end, last))

    def __repr__(self) -> str:
        return f"MeshErrors({self})"

    def __str__(self) -> str:
        begin, end = self.worst()
        if not self.is_judged:
            return f"mesh: not judged, as errors grow beyond all numbers from {begin:.3g} to {end:.3g} s"
        reach = self.reach
        # Linearised equations that blow up give numbers of a hundred digits, which say no more than that
        far = f"up to {1e3 * self.miss:.2g} mm and {self.energy:.2g} J off"
        text = f"mesh: intervals end {far if self.miss <= reach else BEYOND}, most from {begin:.3g} to {end:.3g} s"
        if self.needs_feedback:
            times = f"{self.growth:.2g}" if self.growth <= MOST_TOLD else f"more than {MOST_TOLD:.0e}"
            return f"{text}; errors grow {times} times along the way, so that the arm needs feedback"
        drift = f"about {1e3 * self.drift:.2g} mm and {self.drift_energy:.2g} J in all"
        return f"{text}; at the end {drift if self.drift <= reach else f'{BEYOND} in all'}"


@np.errstate(over="ignore", invalid="ignore")
def mesh_errors(runs: Sequence[Sequence[PhaseTrajectory]], allowed: Allowed) -> MeshErrors | None:
    """Return the errors of the meshes of all phases, by scenario; None where they are not known.

    That is where the equations of motion cannot be linearised along the motion, see `linearized_intervals`.
    """
    phases = []
    growth, drift, energy = 1.0, 0.0, 0.0
    for run in runs:
        errors = tuple(one for one in map(local_errors, run) if one is not None)
        if len(errors) < len(run):
            return None
        phases.append(errors)
        growth = max(growth, _growth(errors))
        end = _at_end(errors)[None]
        last = run[-1]
        x = np.array([last.goal.x])
        # Of what blows up there is no number
        drift = float(np.nan_to_num(np.maximum(drift, displaced(last, x, end)[0]), nan=np.inf))
        left = deviation_energy(errors[-1].norm[-1:], end)[0]
        energy = float(np.nan_to_num(np.maximum(energy, left), nan=np.inf))
    return MeshErrors(tuple(phases), growth, drift, energy, allowed)


def _growth(phases: Sequence[LocalErrors]) -> float:
    """Return the largest norm of the transition matrices to the end, from every mesh point, in the arm's scaling."""
    transitions = np.concatenate([one.transition for one in phases])
    norms = np.concatenate([one.norm[:-1] for one in phases])
    size = norms.shape[1]
    onward, products = np.eye(transitions.shape[1]), []
    for transition in transitions[::-1]:
        onward = onward @ transition
        products.append(onward[:size, :size])
    scaled = np.linalg.solve(norms[::-1], np.array(products).transpose(0, 2, 1) @ phases[-1].norm[-1])
    return float(np.linalg.norm(scaled, 2, axis=(1, 2)).max()) if np.all(np.isfinite(scaled)) else np.inf


def _at_end(phases: Sequence[LocalErrors]) -> np.ndarray:
    """Return the deviation (nx,) at the end that the local errors amount to."""
    total = np.zeros(phases[0].deviation.shape[1])
    for one in phases:
        for transition, deviation in zip(one.transition, one.deviation, strict=True):
            total = transition @ total + deviation
    return total
