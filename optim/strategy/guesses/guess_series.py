"""A first guess as the user gives it: a plan, a motion, a table of some variables, or a file with one of these."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.errors import suggestion
from flexblocks.netcdf_file import FORMAT, read_netcdf
from flexblocks.simulation.trajectory import Trajectory, saved_motion
from flexblocks.simulation.trajectory_files import read_series

from ...errors import ProblemError
from ...model.guessed_series import GuessedSeries
from ...presolve.phase_transcription import PhaseTranscription
from ...results.plan import Plan
from ...results.saved_plan import saved_plan
from ...tolerances import ROUNDING
from ...verification.shared_coordinates import shared_states

Table = Mapping[str, tuple[Any, Any]]
Guess = Plan | Trajectory | Table | str | Path


def read_guess(guess: Guess) -> Plan | Trajectory | Table:
    """Return a guess, read from its file if it is a path.

    Raises
    ------
    FlexblocksError
        The file cannot be read, or holds something else; or the guess is something else.
    """
    if isinstance(guess, (str, Path)):
        if Path(guess).suffix.lower() == ".csv":
            return saved_motion(read_series(guess), guess)
        data = read_netcdf(guess)
        holds = str(data.attrs.get(FORMAT))
        if holds not in ("plan", "trajectory"):
            raise ProblemError(f"plan: guess = {guess}: holds no plan and no motion; must hold one of these.")
        return saved_plan(data, guess) if holds == "plan" else saved_motion(data, guess)
    if isinstance(guess, (Plan, Trajectory, Mapping)):
        return guess
    raise ProblemError(
        f"plan: guess = {guess!r}; must be a Plan, a Trajectory, {{name: (times, values)}}, or the path of a file."
    )


def table_of(guess: Trajectory | Table, arm: DAE) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Return times [s] and values of the variables of an arm in a motion, or in a table, by name.

    Of the motion of another model of the arm, those that mean the same in both.

    Raises
    ------
    ProblemError
        A name is unknown, times and values are no series of finite numbers, or nothing is left.
    """
    known = (*arm.x.names, *arm.z.names, *arm.u.names)
    if isinstance(guess, Trajectory):
        other = guess.dae
        states = set(arm.x.names) if other is None else shared_states(other, arm)
        wanted = [name for name in known if name in guess and (name not in arm.x.names or name in states)]
        table: Table = {name: (guess.t, guess[name]) for name in wanted}
    else:
        table = guess
        for name in table:
            if name not in known:
                raise ProblemError(f"plan: guess: '{name}'{suggestion(name, known, 'the variables are')}")
    if not table:
        raise ProblemError("plan: guess: has no variable of this arm; must have one at least.")
    return {name: _series(name, *_pair(name, one)) for name, one in table.items()}


def _pair(name: str, one: Any) -> tuple[Any, Any]:
    try:
        times, values = one
    except (TypeError, ValueError):
        raise ProblemError(f"plan: guess: '{name}' = {one!r}; must be (times, values).") from None
    return times, values


def _series(name: str, times: Any, values: Any) -> tuple[np.ndarray, np.ndarray]:
    try:
        t, v = np.array(times, dtype=float), np.array(values, dtype=float)
    except (TypeError, ValueError):
        t = v = np.empty(0)
    if t.ndim != 1 or t.shape != v.shape or len(t) < 2 or not (np.isfinite(t).all() and np.isfinite(v).all()):
        raise ProblemError(f"plan: guess: '{name}': must be two or more finite numbers each, times and values.")
    if not np.all(np.diff(t) >= 0) or t[-1] <= t[0]:
        raise ProblemError(f"plan: guess: '{name}': times must increase.")
    last = np.append(np.diff(t) > ROUNDING * (t[-1] - t[0]), True)  # of values at one time the last one
    return t[last], v[last]


def of_phases(
    table: Mapping[str, tuple[np.ndarray, np.ndarray]], phases: tuple[PhaseTranscription, ...]
) -> list[GuessedSeries]:
    """Return the series of each phase: they share the time of the table as they share that of the first guess."""
    begin, end = min(t[0] for t, _ in table.values()), max(t[-1] for t, _ in table.values())
    ends = np.cumsum([0.0, *(t.mesh.duration for t in phases)])
    found = []
    for first, last in zip(ends[:-1] / ends[-1], ends[1:] / ends[-1], strict=True):
        from_, duration = begin + first * (end - begin), (last - first) * (end - begin)
        shares = {name: ((t - from_) / duration, v) for name, (t, v) in table.items()}
        found.append(GuessedSeries(float(duration), {name: _within(*series) for name, series in shares.items()}))
    return found


def _within(shares: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the part of a series from 0 to 1, with what it has at these ends."""
    inside = (shares > ROUNDING) & (shares < 1 - ROUNDING)
    ends = np.interp([0.0, 1.0], shares, values)
    return np.array([0.0, *shares[inside], 1.0]), np.array([ends[0], *values[inside], ends[1]])
