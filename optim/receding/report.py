"""What the iterations of a run did: how often, how fast, and which fall-backs acted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from flexblocks.errors import ParameterError, listing
from flexblocks.simulation.trajectory import Trajectory

from .layout import COUNTERS

FALLBACKS = ("second_iterations", "shifted_plans", "stabilised", "resets", "unknown_samples", "late_samples")


@dataclass(frozen=True)
class Report:
    """Counts and times of a run.

    Attributes
    ----------
    steps : int
        Samples.
    saturated : float
        Share of them at which an input was at its limit.
    limited_references : float
        Share at which a reference was farther away than a linearisation reaches, so that it pulled no harder.
    qp_iterations : float
        Of the quadratic programme, mean.
    most_qp_iterations : int
    fallbacks : dict of int
        ``second_iterations``: from the plan of the stabilising law; ``shifted_plans``: the plan before went on;
        ``stabilised``: the stabilising law acted; ``resets``: the plan was dropped; ``unknown_samples``: a measurement
        or reference was not finite, the last command went on; ``late_samples``: the deadline came first.
    lost : bool
        Whether a fall-back acts at the end.
    compiled : bool
        Whether iterations ran in machine code; without a compiler NumPy takes them, which is slower.
    times : ndarray (k,)
        Of its iterations, CPU [s], as far as they are known.
    """

    steps: int
    saturated: float
    limited_references: float
    qp_iterations: float
    most_qp_iterations: int
    fallbacks: dict[str, int]
    lost: bool
    compiled: bool
    times: np.ndarray

    @property
    def median_time(self) -> float:
        """[s]"""
        return float(np.median(self.times)) if len(self.times) else np.nan

    @property
    def p99_time(self) -> float:
        """[s]"""
        return float(np.percentile(self.times, 99)) if len(self.times) else np.nan

    @property
    def worst_time(self) -> float:
        """[s]"""
        return float(np.max(self.times)) if len(self.times) else np.nan

    def __str__(self) -> str:
        acted = {name: count for name, count in self.fallbacks.items() if count}
        fallbacks = listing(f"{name.replace('_', ' ')} {count}" for name, count in acted.items()) if acted else "none"
        return (
            f"{self.steps} iterations, {1e3 * self.median_time:.3g} ms (median), {1e3 * self.p99_time:.3g} ms (99 %), "
            f"{1e3 * self.worst_time:.3g} ms (worst); {self.qp_iterations:.3g} iterations of the quadratic programme, "
            f"{self.most_qp_iterations} at most; inputs at limits in {100 * self.saturated:.3g} % of samples, "
            f"references out of reach in {100 * self.limited_references:.3g} %; fall-backs: {fallbacks}"
            f"{'' if self.compiled else '; without a compiler, by NumPy'}"
        )


class Timed(Protocol):
    """What knows the time of its iterations by their keys."""

    def time_of(self, key: float) -> float | None: ...


def report_of(law: str, names: Sequence[str], timed: Timed, compiled: bool, run: Trajectory) -> Report:
    """Return the report of a run; see `MPC.report`.

    Parameters
    ----------
    law : str
        Its name, the prefix of its states.
    names : sequence of str
        Its states.
    timed : Timed
        Its iteration.
    compiled : bool
        Whether that is machine code.
    run : Trajectory
    """
    if missing := [name for name in (names[0], names[-1]) if name not in run.names["x"]]:
        raise ParameterError(
            f"report: '{run.name}' has no state '{missing[0]}'; must be a run of a loop with this MPC."
        )
    last = {name: float(run[f"{law}.{name}"][-1]) for name in (*COUNTERS, "failing")}
    steps = max(round(last["steps"]), 1)
    return Report(
        round(last["steps"]),
        last["saturated"] / steps,
        last["limited_references"] / steps,
        last["qp_iterations"] / steps,
        round(last["most_qp_iterations"]),
        {name: round(last[name]) for name in FALLBACKS},
        bool(last["failing"] > 0.5),
        compiled,
        _times(timed, np.round(run[f"{law}.memory"])),
    )


def _times(timed: Timed, keys: np.ndarray) -> np.ndarray:
    """Return CPU times [s] of the iterations that made these keys."""
    found = [timed.time_of(key) for key in dict.fromkeys(keys.tolist()) if key > 0]
    return np.array([time for time in found if time is not None], dtype=float)
