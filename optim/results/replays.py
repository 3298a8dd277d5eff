"""Replays of a plan: of all its scenarios or of another one, with the feedback that they need or that is asked for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from flexblocks.dae.dae import DAE
from flexblocks.simulation.trajectory import Trajectory
from flexblocks.validity.deflection_error import DeflectionError
from flexblocks.validity.large_deflections import large_deflections, warn_of_large_deflections

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
    law = chosen_law(law, errors)
    replays = [replayed(dae, run, law, scenario, **options) for run in chosen]
    _warn_of_large_deflections(dae, [one.trajectory for one in replays])
    return side_by_side(replays)


def chosen_law(law: Any, errors: MeshErrors | None) -> Any:
    """Return the law to replay with: for ``"auto"`` the tracking law if the arm needs feedback, and else None."""
    law = checked_law(law)
    if not isinstance(law, str) or law != AUTO:
        return law
    return TRACKING if errors is not None and errors.needs_feedback else None


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
