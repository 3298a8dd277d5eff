"""Animations of files: saved trajectories, plans and models."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from flexblocks.assemble import assemble
from flexblocks.dae.dae import DAE
from flexblocks.errors import FlexblocksError, ParameterError
from flexblocks.linear.linearize import linearize
from flexblocks.modeling.model import Model
from flexblocks.netcdf_file import read_netcdf
from flexblocks.plot.animation.animate import animate
from flexblocks.plot.animation.animation import Animation
from flexblocks.simulation.saved_arm import saved_arm
from flexblocks.simulation.trajectory import Trajectory

RESULTS = (".nc", ".csv")


def animate_files(
    paths: Sequence[Path], model: Model | None = None, types: Iterable[type] = (), **options: Any
) -> Animation:
    """Return the animation of results in files.

    Parameters
    ----------
    paths : sequence of Path
        Trajectories (``.nc``, ``.csv``) and plans (``.nc``).
    model : Model, optional
        The arm of trajectories that do not hold theirs.
    types : iterable of type
        User-defined blocks in their models.
    **options
        Of `flexblocks.plot.animate`.

    Raises
    ------
    FlexblocksError
        A file cannot be read, or holds no arm and there is no `model`.
    """
    dae = None if model is None else assemble(model)
    motions = [_motion(path, dae, tuple(types)) for path in paths]
    labels = [path.stem for path in paths] if len(paths) > 1 else None
    return animate(*motions, labels=labels, **options)


def animate_model(model: Model, **options: Any) -> Animation:
    """Return the animation of a model: its modes at rest; its start posture where it has none."""
    dae = assemble(model)
    try:
        lin = linearize(dae)
        shown: Any = lin if any(mode.eigenvalue.imag for mode in lin.modes()) else dae
    except FlexblocksError:  # no equilibrium to be linearised at; the posture is worth seeing all the same
        shown = dae
    return animate(shown, **options)


def _motion(path: Path, dae: DAE | None, types: tuple[type, ...]) -> Any:
    if path.suffix.lower() == ".nc" and "plan" in read_netcdf(path).attrs:
        from flexblocks.optim import load_plan

        return load_plan(path, types)
    motion = Trajectory.load(path)
    arm = dae
    if arm is None and path.suffix.lower() == ".nc":
        arm = saved_arm(path, types)
    if arm is None:
        raise ParameterError(
            f"{path}: holds no arm to draw; pass its model file, --model arm.yaml. (Motions saved as .nc hold their "
            "arm, unless it is a closed loop of control or has functions among its parameters.)"
        )
    return motion.of(arm.with_outputs(motion.names["y"]))
