"""Replays of a plan: of all its scenarios or of another one, with the feedback that they need or that is requested."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from flexblocks.dae.dae import DAE
from flexblocks.libraries import scipy
from flexblocks.simulation.simulate import SimulationError
from flexblocks.simulation.trajectory import Trajectory
from flexblocks.user_warning import warn
from flexblocks.validity.deflection_error import DeflectionError
from flexblocks.validity.large_deflections import large_deflections, warn_of_large_deflections
from flexblocks.validity.state_ranges import beyond_state_ranges, warn_of_states

from ..model.read_solution import arm_inputs, input_polynomials, joined_inputs, regrouped
from ..model.trajectories import phase_trajectories, transcribed_problem
from ..verification.mesh_errors.mesh_errors import MeshErrors
from ..verification.replay import Replay, side_by_side
from ..verification.tracked_replay import AUTO, TRACKING, checked_law, replayed
from ..warning_kinds import UNTRACKABLE


def replay_of(
    model: Any, law: Any, errors: MeshErrors | None, scenario: Mapping[str, float] | None, **options: Any
) -> Replay:
    """Replay a solved model; see `Plan.replay`. `errors` are those of its mesh, None if they are not known."""
    runs, dae, arm = phase_trajectories(model), transcribed_problem(model).dae, transcribed_problem(model).arm
    chosen = runs if scenario is None else runs[:1]
    taken = chosen_law(law, errors)
    try:
        replays = [replayed(dae, run, taken, scenario, whole=arm, **options) for run in chosen]
    except SimulationError as error:
        if taken is None or taken is law:  # as it was requested
            raise
        warn(
            f"replay: '{dae.name}' under feedback along its plan could not be simulated to its end: {error} These are "
            "the planned inputs alone. Where the arm does not obey its inputs, as between teeth with play, give a law "
            "of flexblocks.control.",
            UNTRACKABLE,
        )
        replays = [replayed(dae, run, None, scenario, **options) for run in chosen]
    motions = [one.trajectory for one in replays]
    _warn_of_large_deflections(dae, motions)
    names = [""] if len(motions) == 1 else [f"in scenario {i}, " for i in range(len(motions))]
    if dae.tree.state_ranges:
        beyond = [beyond_state_ranges(dae, one.x, one.t, planned=True) for one in motions]
        warn_of_states("replay", dict(zip(names, beyond, strict=True)))
    unused: dict[str, scipy.interpolate.PPoly] = {}
    if any(arm.u.derivative_of):
        planned = arm_inputs(arm, runs[0], joined_inputs([input_polynomials(traj) for traj in runs[0]]))
        unused = {name: value for name, value in planned.items() if name not in dae.u and name not in dae.x}
    return side_by_side([_of_whole_arm(arm, one, unused) for one in replays])


def _of_whole_arm(arm: DAE, one: Replay, unused: Mapping[str, scipy.interpolate.PPoly]) -> Replay:
    """Return a replay of the arm with all of its inputs, references among them; nothing depends on those `unused`."""
    alone = None if one.without_feedback is None else _of_whole_arm(arm, one.without_feedback, unused)
    return replace(one, trajectory=regrouped(arm, one.trajectory, unused), without_feedback=alone)


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
