"""`plot.animate`: an interactive view of motions in space."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

from flexblocks.dae.dae import DAE
from flexblocks.errors import NameUnknownError, ParameterError, listing, suggestion
from flexblocks.linear.linear_model import LinearModel
from flexblocks.plot.animation.animation import Animation
from flexblocks.plot.animation.motions import mode_runs, motion_run, plan_limits, posture_run, up_of
from flexblocks.plot.animation.obstacles import plan_obstacles
from flexblocks.plot.animation.run import QUANTITIES, Run
from flexblocks.plot.animation.scene import Scene
from flexblocks.plot.subjects import arm_of, motion_of
from flexblocks.simulation.trajectory import Trajectory
from flexblocks.statics.operating_point import OperatingPoint

if TYPE_CHECKING:
    from flexblocks.optim import Plan, Replay

FRAMES = 1000
TRIANGLES = 50_000
LAYOUTS = ("overlay", "side by side")


def animate(
    *motions: Trajectory | Plan | Replay | LinearModel | OperatingPoint | DAE,
    labels: Sequence[str] | None = None,
    mode: int | None = None,
    layout: Literal["overlay", "side by side"] | None = None,
    exaggeration: float = 1.0,
    color: Literal["stress", "bending moment", "speed"] | None = None,
    signals: Sequence[str] | None = None,
    frames: int = FRAMES,
    triangles: int = TRIANGLES,
    title: str | None = None,
) -> Animation:
    """Return an interactive animation of motions in space.

    Parameters
    ----------
    *motions : Trajectory, Plan, Replay, LinearModel, OperatingPoint or DAE
        One motion, or several that play at the same time: a plan beside its replay, two fidelities of an arm. Of a
        linear model its oscillating modes; of an operating point or a DAE the posture.
    labels : sequence of str, optional
        One for each motion.
    mode : int, optional
        Which mode of a linear model, counted from 1 as ``print(lin.modes())`` does.
    layout : "overlay" or "side by side", optional
        How several motions are shown first; by default overlaid, modes one at a time.
    exaggeration : float
        Factor on deflections, shown first and in films.
    color : "stress", "bending moment" or "speed", optional
        What beams are coloured by first.
    signals : sequence of str, optional
        What is plotted under the view first; those of each unit share axes.
    frames : int
        Most samples of a motion that are kept, evenly spaced in time.
    triangles : int
        Most triangles of an arm that are kept of the files of its shapes, shared out by their sizes.
    title : str, optional
        By default the name of the arm.

    Returns
    -------
    Animation
        ``.save("run.html")`` writes one page that opens anywhere, without a network; also .glb, .gif and .mp4.

    Raises
    ------
    ParameterError
        Nothing to animate, a motion that does not know its arm, or an option that there is not.
    NameUnknownError
        An unknown signal.
    FileFormatError
        The mesh of a shape is not there or cannot be read.
    MissingExtraError
        Meshes are drawn and ``flexblocks[robots]`` is not installed.
    """
    _check(motions, labels, layout, color, frames, exaggeration)
    if not isinstance(triangles, int) or triangles < 100:
        raise ParameterError(f"plot.animate: triangles = {triangles!r}; must be a whole number of at least 100.")
    runs: list[Run] = []
    fixtures = []
    names = list(labels) if labels is not None else _labels(motions)
    first: DAE | None = None
    for motion, label in zip(motions, names, strict=True):
        arm = arm_of(motion, "plot.animate")
        first = first or arm
        new = _runs(motion, arm, label, mode, frames, triangles)
        runs += new
        if hasattr(motion, "transcribed"):
            parts = [track.r for run in new for track in run.tracks]
            middle = sum(part.mean(axis=0) for part in parts) / len(parts)
            fixtures += plan_obstacles(motion, middle, new[0].arm.scale.arm)  # type: ignore[arg-type]
    assert first is not None
    if signals is not None:
        _check_signals(signals, runs)
    options: dict[str, Any] = {
        "layout": layout or ("single" if len(runs) > 1 and all(run.kind == "mode" for run in runs) else "overlay"),
        "exaggeration": float(exaggeration),
        "color": color,
        "signals": None if signals is None else list(signals),
    }
    up, gravity = up_of(first), first.tree.gravity_at(first.p.start)
    return Animation(Scene(title or first.name, tuple(runs), up, gravity, fixtures, options))


def _runs(motion: Any, dae: DAE, label: str, mode: int | None, frames: int, triangles: int) -> list[Run]:
    if isinstance(motion, LinearModel):
        return mode_runs(motion, dae, mode, triangles)
    if isinstance(motion, DAE):
        return [posture_run(dae, None, label, triangles)]
    if isinstance(motion, OperatingPoint):
        return [posture_run(dae, motion, label, triangles)]
    limits = plan_limits(motion) if hasattr(motion, "transcribed") else None
    return [motion_run(motion_of(motion), dae, label, frames, triangles, limits)]


def _labels(motions: Sequence[Any]) -> list[str]:
    """Return labels that distinguish motions: what they are, with numbers where several are the same."""
    words = {
        "Trajectory": "simulation",
        "Plan": "plan",
        "Replay": "replay",
        "DAE": "start",
        "OperatingPoint": "at rest",
    }
    plain = [words.get(type(motion).__name__, "modes") for motion in motions]
    return [w if plain.count(w) == 1 else f"{w} {plain[: i + 1].count(w)}" for i, w in enumerate(plain)]


def _check(
    motions: Sequence[Any],
    labels: Sequence[str] | None,
    layout: str | None,
    color: str | None,
    frames: int,
    exaggeration: float,
) -> None:
    kinds = (Trajectory, LinearModel, OperatingPoint, DAE)
    if not motions:
        raise ParameterError("plot.animate: no motion; pass a Trajectory, a Plan, a Replay, a LinearModel or a DAE.")
    for motion in motions:
        if not isinstance(motion, kinds) and not isinstance(getattr(motion, "trajectory", None), Trajectory):
            raise ParameterError(
                f"plot.animate: {type(motion).__name__}; must be a Trajectory, a Plan, a Replay, a LinearModel, an "
                "OperatingPoint or a DAE."
            )
    if labels is not None and len(labels) != len(motions):
        raise ParameterError(f"plot.animate: {len(labels)} labels for {len(motions)} motions; must be one each.")
    if layout is not None and layout not in LAYOUTS:
        raise ParameterError(f"plot.animate: layout = {layout!r}; must be one of {listing(LAYOUTS)}.")
    if color is not None and color not in QUANTITIES:
        raise ParameterError(f"plot.animate: color = {color!r}; must be one of {listing(QUANTITIES)}.")
    if not isinstance(frames, int) or frames < 2:
        raise ParameterError(f"plot.animate: frames = {frames!r}; must be a whole number of at least 2.")
    if not 0 <= exaggeration < float("inf"):
        raise ParameterError(f"plot.animate: exaggeration = {exaggeration!r}; must be a finite number >= 0.")


def _check_signals(wanted: Sequence[str], runs: Sequence[Run]) -> None:
    known = list(dict.fromkeys(name for run in runs for name in run.signals.names))
    for name in wanted:
        if name not in known:
            raise NameUnknownError(f"plot.animate: signals: there is no '{name}'{suggestion(name, known)}")
