"""Tracked replay: the arm under the planned inputs and a feedback law that follows the plan."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from flexblocks.control import close_loop, follow
from flexblocks.dae.dae import DAE
from flexblocks.simulation.simulate import SimulationError, simulate
from flexblocks.simulation.trajectory import Trajectory, whole

from ..errors import ProblemError
from ..model.read_solution import regrouped
from ..model.trajectories import PhaseTrajectory
from .arrivals import Leg
from .replay import Drive, Replay, by_inputs, replay
from .replayed_scenario import scenario_run
from .tracking import planned_motion, tracking_law

AUTO, TRACKING = "auto", "tracking"


def checked_law(law: Any) -> Any:
    """Return the law of a replay.

    Raises
    ------
    ProblemError
        Another word.
    """
    if isinstance(law, str) and law not in (AUTO, TRACKING):
        raise ProblemError(
            f'replay: law = {law!r}; must be "auto", "tracking", None for no feedback, or a law of flexblocks.control.'
        )
    return law


def replayed(
    dae: DAE,
    run: Sequence[PhaseTrajectory],
    law: Any,
    scenario: Any = None,
    shared: frozenset[str] | None = None,
    **options: Any,
) -> Replay:
    """Replay one scenario.

    Parameters
    ----------
    dae : DAE
        The arm that is driven: that of the plan, or a finer model of it.
    run : sequence of PhaseTrajectory
    law : str, Law or None
        ``"tracking"``, a law of flexblocks.control, or None for the planned inputs alone.
    scenario : dict of float, optional
    shared : frozenset of str, optional
        States that mean the same in the arm of the plan, if that is another model.
    **options
        Of `flexblocks.simulate`.
    """
    arm = None if dae is run[0].transcription.dae else dae
    start, legs = scenario_run(run, scenario, arm)
    if law is None:
        return replay(dae, start, legs, by_inputs(dae, **options))
    tracked = replay(dae, start, legs, by_law(dae, run, law, shared, **options))
    try:
        alone = replay(dae, start, legs, by_inputs(dae, **options))
    except SimulationError:  # an unstable arm may fall into what cannot be simulated
        alone = None
    return replace(tracked, feedback=_words(law), without_feedback=alone)


def by_law(
    dae: DAE, run: Sequence[PhaseTrajectory], law: Any, shared: frozenset[str] | None = None, **options: Any
) -> Drive:
    """Return the drive by a law that follows the planned motion; see `replayed`."""

    def drive(i: int, leg: Leg, x: np.ndarray) -> Trajectory:
        closed, signals = _closed_loop(dae, run[i], leg, law, shared)
        x0 = dict(zip(dae.x.names, x.tolist(), strict=True))
        return regrouped(dae, whole(simulate(closed, (0.0, leg.duration), signals, x0, leg.p, **options)))

    return drive


def held(
    dae: DAE, traj: PhaseTrajectory, leg: Leg, x: np.ndarray, time: float, law: Any, shared: frozenset[str] | None
) -> Trajectory:
    """Return the motion during a `time` [s] after the last leg, in which the law holds the arm at the goal."""
    closed, signals = _closed_loop(dae, traj, leg, law, shared)
    for name, planned in leg.inputs.items():
        if name in signals:
            signals[name] = float(planned(leg.duration))
    x0 = dict(zip(dae.x.names, x.tolist(), strict=True))
    return regrouped(dae, whole(simulate(closed, (leg.duration, leg.duration + time), signals, x0, leg.p)))


def _closed_loop(
    dae: DAE, traj: PhaseTrajectory, leg: Leg, law: Any, shared: frozenset[str] | None
) -> tuple[DAE, dict[str, Any]]:
    """Return the closed loop of the arm and the law, and its inputs, which follow the planned motion of a phase."""
    mine: Any = tracking_law(traj, shared) if isinstance(law, str) else law
    closed = close_loop(dae, mine)
    if hasattr(mine, "signals"):
        signals: dict[str, Any] = dict(mine.signals(dae, closed))
    else:
        signals = dict(follow(closed, planned_motion(traj)))
    # Inputs that the law does not drive stay as planned
    return closed, signals | {name: planned for name, planned in leg.inputs.items() if name in closed.u}


def _words(law: Any) -> str:
    return "time-varying regulator of the plan" if isinstance(law, str) else type(law).__name__
