"""The pictures of the demonstration."""

from __future__ import annotations

from pathlib import Path

from flexblocks.linear.linear_model import LinearModel
from flexblocks.modeling.model import Model
from flexblocks.simulation import Trajectory

TORQUES = ["motor1.torque", "motor2.torque"]
TIPS = ["link1.tip_deflection_y", "link2.tip_deflection_y"]
JOINTS = ["joint1.angle", "joint2.angle"]


def draw(
    out: Path,
    model: Model,
    lin: LinearModel,
    swing: Trajectory,
    planned: Trajectory,
) -> list[str]:
    """Draw blocks, modes and both motions to files in `out` and return the file names."""
    from flexblocks import plot

    elastic = next(number for number, mode in enumerate(lin.modes(), 1) if mode.frequency > 0)
    axes = {
        "blocks.png": plot.model(model),
        "eigenvalues.png": plot.eigenvalues(lin, reach=250.0),
        "mode.png": plot.mode(lin, elastic),
        "swing.png": plot.stacked(swing, [TORQUES, JOINTS, TIPS])[0],
        "swing_snapshots.png": plot.snapshots(swing, count=12),
        "plan.png": plot.stacked(planned, [TORQUES, JOINTS, TIPS])[0],
        "plan_snapshots.png": plot.snapshots(planned, count=12),
    }
    for name, ax in axes.items():
        plot.save(ax, out / name)
    return list(axes)
