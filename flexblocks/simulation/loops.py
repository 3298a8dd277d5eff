"""Closed loops in a run: change points that it passes, or beside which it fails, and where loops come open.

See `flexblocks.constraints.singularities.change_points`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from flexblocks.constraints.loop_equations import closure_equations, mismatches
from flexblocks.constraints.singularities.change_points import (
    change_points,
    joints_in_line,
    may_pass,
    passed_words,
    way_to_change_point,
)
from flexblocks.dae.dae import DAE
from flexblocks.errors import listing
from flexblocks.simulation.run import Record
from flexblocks.simulation.signals.inputs import separation
from flexblocks.simulation.signals.parameters import Parameters
from flexblocks.simulation.trajectory import GROUPS, Trajectory

WATCHED = 1000  # intervals of a run whose ends are looked at, if it has fewer samples
# Share of a run within which a change point ahead is reported with a failure: implicit steps shrink before one.
AHEAD = 0.05
# Of the loops' length, or rad: integration leaves 1e-6 and less. Loops of more closures than they need, as Bennett's,
# keep those that count at the start; where they count no longer, others would have to take their place.
OPEN = 1e-3


@dataclass(frozen=True)
class Passages:
    """Times (k,) [s] at which a run has just passed change points, and the joints in line there."""

    times: np.ndarray
    joints: tuple[str, ...]


def watched_times(dae: DAE, times: np.ndarray, x: np.ndarray, p: np.ndarray) -> np.ndarray:
    """Return the output times (k,) [s] of a run from `x` (nx,), with more between them if these are few.

    Change points hide in long steps.
    """
    if len(times) > WATCHED or not may_pass(dae, x[: dae.tree.size], p):
        return times
    between = np.linspace(times[0], times[-1], WATCHED + 1)
    after = np.clip(np.searchsorted(times, between), 1, len(times) - 1)
    apart = np.minimum(np.abs(between - times[after - 1]), np.abs(between - times[after]))
    least = max(separation(times[0], times[-1]), 1e-3 * (times[-1] - times[0]) / WATCHED)
    return np.union1d(times, between[apart > least])


def at_times(record: Record, watched: np.ndarray, times: np.ndarray) -> Record:
    """Return the record of a run over watched times with the states at the output times (k,) alone."""
    if len(watched) == len(times):
        return record
    return record.at(np.flatnonzero(np.isin(watched[: len(record.X)], times)).tolist())


def passages(dae: DAE, times: np.ndarray, record: Record, p: Parameters) -> Passages | None:
    """Return the change points that a run passes up to where it got, None if there are none."""
    if not dae.tree.loops.closures or len(record.X) < 2:
        return None
    q, t = np.array(record.X)[:, : dae.tree.size], times[: len(record.X)]
    found, joints = [np.zeros(0)], []
    for part, values in p.parts(t):
        behind = change_points(dae, q[part], values)
        if len(behind):
            found.append(t[part][behind])
            joints += joints_in_line(dae, q[part][behind - 1], values)
    return Passages(np.concatenate(found), tuple(dict.fromkeys(joints))) if joints else None


def words(passed: Sequence[Passages]) -> str:
    """Return what runs say of the change points that they have passed."""
    times = np.unique(np.concatenate([each.times for each in passed]))
    joints = dict.fromkeys(joint for each in passed for joint in each.joints)
    at = f"t = {listing([f'{time:.4g}' for time in times], 3)} s"
    return (
        f"{passed_words(at, tuple(joints))}, and may be another with other tolerances. Other lengths decide it, or a "
        "second linkage out of step."
    )


def ahead(dae: DAE, times: np.ndarray, record: Record, parameters: Parameters) -> str:
    """Return what a failure says of a change point that the run was coming to; nothing if there is none."""
    n = dae.tree.size
    if not dae.tree.loops.closures or not np.all(np.isfinite(record.state[0])):
        return ""
    q, v, p = record.state[0][:n], record.state[0][n : 2 * n], parameters.at(record.reached)
    left = way_to_change_point(dae, q, v, p)
    if not abs(left) < AHEAD * (times[-1] - times[0]):
        return ""
    joints = listing(joints_in_line(dae, q[None], p), 6)
    return (
        f" Its loops are beside a change point, at about t = {record.reached + left:.4g} s, where {joints} are in line "
        "and do not determine how they move on."
    )


@dataclass(frozen=True)
class Opened:
    """When the loops of a motion came open [s], why in words, and the motion before."""

    time: float
    words: str
    before: Trajectory


def opened(dae: DAE, motion: Trajectory, p: Parameters) -> Opened | None:
    """Return where the loops of a motion come open; None if they are closed all along."""
    if not dae.tree.loops.closures or not len(motion):
        return None
    n, count = dae.tree.size, len(motion)
    mismatch = closure_equations(dae).mismatch.map(count)(motion.x[:, :n].T, p.values[p.index_at(motion.t)].T)[0].full()
    largest = np.abs(mismatch).reshape(mismatch.shape[0], count).max(axis=0, initial=0.0)
    where = np.flatnonzero(~(largest <= OPEN))
    if not where.size:
        return None
    first = int(where[0])
    there = mismatches(dae, motion.x[first, :n], p.at(motion.t[first]))
    words = (
        f"its loops have come open ({there}): of their closures, of which some "
        "follow from others where the arm was assembled, those that were kept do not hold them there. Assemble it with "
        "start values in a generic posture, or leave out what is overconstrained, by spherical joints for hinges"
    )
    groups = {name: getattr(motion, name)[:first] for name in GROUPS}
    return Opened(float(motion.t[first]), words, replace(motion, t=motion.t[:first], complete=False, **groups))
