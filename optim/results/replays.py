"""Replays of a plan: of all its scenarios or of another one, with the feedback that they need or that is asked for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from flexblocks.dae.dae import DAE
from flexblocks.simulation.simulate import SimulationError
from flexblocks.simulation.trajectory import Trajectory
from flexblocks.user_warning import warn
from flexblocks.validity.deflection_error import DeflectionError
from flexblocks.validity.large_deflections import large_deflections, warn_of_large_deflections
from flexblocks.validity.state_ranges import beyond_state_ranges, warn_of_states

from ..errors import PlanWarning
from ..model.read_solution import with_inputs_of
from ..model.trajectories import phase_trajectories, transcribed_problem
from ..verification.mesh_errors.mesh_errors import MeshErrors
from ..verification.replay import Replay, side_by_side
from ..verification.tracked_replay import AUTO, TRACKING, checked_law, replayed


def replay_of(
    model: Any, law: Any, errors: MeshErrors | None, scenario: Mapping[str, float] | None, **options: Any
) -> Replay:
    """Replay a solved model; see `Plan.replay`. `errors` are those of its mesh, None if they are not known."""
    runs, dae = phase_trajectories(model), transcribed_problem(model).dae
    chosen = runs if scenario is None else runs[:1]
    taken = chosen_law(law, errors)
    try:
        replays = [replayed(dae, run, taken, scenario, **options) for run in chosen]
    except SimulationError as error:
        if taken is None or taken is law:  # as it was asked for
            raise
        warn(
            f"replay: '{dae.name}' under feedback along its plan could not be simulated to its end: {error} These are "
            "the planned inputs alone. Where the arm does not obey its inputs, as between teeth with play, give a law "
            "of flexblocks.control.",
            PlanWarning,
        )
        replays = [replayed(dae, run, None, scenario, **options) for run in chosen]
    motions = [one.trajectory for one in replays]
    _warn_of_large_deflections(dae, motions)
    names = [""] if len(motions) == 1 else [f"in scenario {i}, " for i in range(len(motions))]
    beyond = {name: beyond_state_ranges(dae, one.x, one.t) for name, one in zip(names, motions, strict=True)}
    warn_of_states("replay", beyond)
    arm = transcribed_problem(model).arm
    return side_by_side([_of_whole_arm(one, arm) for one in replays])


def _of_whole_arm(one: Replay, arm: DAE) -> Replay:
    alone = one.without_feedback
    trajectory = with_inputs_of(one.trajectory, arm)
    return replace(one, trajectory=trajectory, without_feedback=None if alone is None else _of_whole_arm(alone, arm))


def chosen_law(law: Any, errors: MeshErrors | None) -> Any:
    """Return the law to replay with: for ``"auto"`` the tracking law if the arm needs feedback, and else None."""
    law = checked_law(law)
    if not isinstance(law, str) or law != AUTO:
        return law
    return TRACKING if errors is not None and errors.is_judged and errors.needs_feedback else None


def _warn_of_large_deflections(dae: DAE, motions: Iterable[Trajectory]) -> None:
    """Warn of the motion that goes farthest beyond small deflections, if any does."""
    far = [(one, motion) for motion in motions for one in _large_deflections(dae, motion)]
    if far:
        _, motion = max(far, key=lambda pair: pair[0].error * pair[0].deflection)
        p = dae.p.values(motion.p, "replay: p: ")
        warn_of_large_deflections(dae, "replay", motion.x, motion.z, motion.u, p, motion.t)


def _large_deflections(dae: DAE, motion: Trajectory) -> list[DeflectionError]:
    p = dae.p.values(motion.p, "replay: p: ")
    return large_deflections(dae, motion.x, motion.z, motion.u, p)
