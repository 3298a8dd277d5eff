"""Tracked replay: the arm under the planned inputs and a feedback law that follows the plan."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from flexblocks.control import close_loop, follow
from flexblocks.dae.dae import DAE
from flexblocks.libraries import scipy
from flexblocks.simulation.simulate import SimulationError, simulate
from flexblocks.simulation.simulate import whole as completed
from flexblocks.simulation.trajectory import Trajectory

from ..errors import ProblemError
from ..model.read_solution import arm_inputs, regrouped
from ..model.trajectories import PhaseTrajectory
from ..presolve.inputs.references import driven_by_law
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
    *,
    whole: DAE | None = None,
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
    whole : DAE, optional
        The arm that is driven with its references as they are, which a law may command.
    **options
        Of `flexblocks.simulate`.
    """
    arm = None if dae is run[0].transcription.dae else dae
    start, legs = scenario_run(run, scenario, arm)
    if law is None:
        return replay(dae, start, legs, by_inputs(dae, **options))
    tracked = replay(dae, start, legs, by_law(dae, run, law, whole=whole, **options))
    try:
        alone = replay(dae, start, legs, by_inputs(dae, **options))
    except SimulationError:  # an unstable arm may fall into what cannot be simulated
        alone = None
    return replace(tracked, feedback=_words(law), without_feedback=alone)


def by_law(
    dae: DAE,
    run: Sequence[PhaseTrajectory],
    law: Any,
    shared: frozenset[str] | None = None,
    whole: DAE | None = None,
    **options: Any,
) -> Drive:
    """Return the drive by a law that follows the planned motion; see `replayed`.

    `shared` are the states that mean the same in the arm of the plan, if that is another model.
    """

    def drive(i: int, leg: Leg, x: np.ndarray) -> Trajectory:
        loop = _closed_loop(dae, run[i], leg, law, shared, whole)
        return loop.motion(dae, (0.0, leg.duration), loop.start(dae, x), leg.p, **options)

    return drive


def held(
    dae: DAE,
    traj: PhaseTrajectory,
    leg: Leg,
    x: np.ndarray,
    time: float,
    law: Any,
    shared: frozenset[str] | None,
    whole: DAE,
) -> Trajectory:
    """Return the motion during a `time` [s] after the last leg, in which the law holds the arm at the goal."""
    loop = _closed_loop(dae, traj, leg, law, shared, whole)
    start = loop.start(dae, x)
    for name, planned in loop.planned.items():
        if name in loop.signals:
            loop.signals[name] = float(planned(leg.duration))
    return loop.motion(dae, (leg.duration, leg.duration + time), start, leg.p)


@dataclass(frozen=True, eq=False)
class _ClosedLoop:
    """The closed loop of an arm and a law during a phase.

    Attributes
    ----------
    around : DAE
        The arm that the law drives.
    closed : DAE
    planned : dict of PPoly
        The planned inputs.
    signals : dict
        Inputs of the closed loop.
    """

    around: DAE
    closed: DAE
    planned: Mapping[str, scipy.interpolate.PPoly]
    signals: dict[str, Any]

    def start(self, dae: DAE, x: np.ndarray) -> dict[str, float]:
        """Return the start values by name, from the states (nx,) of an arm with the plan's inputs."""
        known = dict(zip(dae.x.names, x.tolist(), strict=True))
        return {name: known[name] if name in known else float(self.planned[name](0.0)) for name in self.around.x.names}

    def motion(self, dae: DAE, t: tuple[float, float], x0: Mapping[str, float], p: Any, **options: Any) -> Trajectory:
        """Return the simulated motion of an arm with the plan's inputs."""
        return regrouped(dae, completed(simulate(self.closed, t, self.signals, x0, p, **options)))


def _closed_loop(
    dae: DAE, traj: PhaseTrajectory, leg: Leg, law: Any, shared: frozenset[str] | None, whole: DAE | None
) -> _ClosedLoop:
    """Return the closed loop of the arm and the law, whose inputs follow the planned motion of a phase."""
    mine: Any = tracking_law(traj, shared) if isinstance(law, str) else law
    around, planned = dae, leg.inputs
    if whole is not None and not isinstance(law, str):
        around = driven_by_law(whole, dae, traj.transcription.problem, law)
        planned = arm_inputs(whole, [traj], leg.inputs)
    closed = close_loop(around, mine)
    if hasattr(mine, "signals"):
        signals: dict[str, Any] = dict(mine.signals(around, closed))
    else:
        signals = dict(follow(closed, replace(planned_motion(traj), inputs=planned)))
    # Inputs that the law does not drive stay as planned
    as_planned = {name: one for name, one in planned.items() if name in closed.u}
    return _ClosedLoop(around, closed, planned, signals | as_planned)


def _words(law: Any) -> str:
    return "time-varying regulator of the plan" if isinstance(law, str) else type(law).__name__
