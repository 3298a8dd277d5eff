"""Case 2 of Yu & Chen (2019): PD servos track a circle with the tip of a flexible two-link arm, under gravity.

The references of the servos are the joint angles of a rigid arm on the circle. Gravity causes joint errors and bends
the links; feedforward of the rigid arm's gravity torques removes the former, not the latter.

python examples/yu_chen_case2.py [folder for the pictures]
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

import casadi as ca
import matplotlib.pyplot as plt
import numpy as np

import flexblocks as fb
from flexblocks import models
from flexblocks.models.yu_chen import LINKS

KP, KD = 125.0, 25.0  # N m/rad, N m s/rad
CENTER, RADIUS, RATE = (0.67, 0.34), 0.1, 0.2 * np.pi  # m, m, rad/s
TIMES = np.linspace(0.0, 10.0, 1001)  # one revolution


def arm_with_servos() -> fb.Model:
    """Return the arm with a PD servo on each joint, in parallel with the motor for the feedforward torque."""
    model = models.yu_chen_2019(accelerometers=True)
    for i in (1, 2):
        servo = model.add(fb.PDServo(f"servo{i}", kp=KP, kd=KD))
        model.connect(servo.flange_b, f"joint{i}.axis")
    return model


def circle(t, maths=np):
    """Return the reference x, y [m] of the tip at times t [s]: numbers, arrays or, with `maths` = ca, symbols."""
    return CENTER[0] + RADIUS * maths.cos(RATE * t), CENTER[1] + RADIUS * maths.sin(RATE * t)


def rigid_arm() -> ca.Function:
    """Return the function t -> joint angles (2), rates (2) and gravity torques (2) of a rigid arm on the circle."""
    t = ca.SX.sym("t")
    x, y = circle(t, ca)
    l1, l2 = (link.length for link in LINKS)
    # Inverse kinematics of the rigid arm, by the law of cosines.
    elbow = -ca.acos((x**2 + y**2 - l1**2 - l2**2) / (2 * l1 * l2))
    shoulder = ca.atan2(y, x) - ca.atan2(l2 * ca.sin(elbow), l1 + l2 * ca.cos(elbow))
    q, still = ca.vertcat(shoulder, elbow), ca.SX.zeros(2)
    weight = fb.assemble(models.yu_chen_2019(modes=0)).inverse_dynamics(q, still, still, [])
    return ca.Function("rigid_arm", [t], [q, ca.jacobian(q, t), weight])


def follow_circle(feed_forward: bool) -> fb.Trajectory:
    """Simulate one revolution, from rest with straight links at 45 and -45 degrees."""
    rigid, u = rigid_arm(), {}
    for i in (0, 1):
        u[f"servo{i + 1}.reference"] = lambda t, i=i: rigid(t)[0][i]
        u[f"servo{i + 1}.reference_rate"] = lambda t, i=i: rigid(t)[1][i]
        if feed_forward:
            u[f"motor{i + 1}.torque"] = lambda t, i=i: rigid(t)[2][i]
    return fb.simulate(fb.assemble(arm_with_servos()), TIMES, u=u)


def miss(motion: fb.Trajectory) -> np.ndarray:
    """Return the position error (k,) of the tip [m]."""
    x, y = circle(motion.t)
    return np.hypot(motion["mass2.x"] - x, motion["mass2.y"] - y)


def draw(motions: Mapping[str, fb.Trajectory], folder: Path) -> None:
    """Draw Figures 11 to 14 of the paper; solid lines are the reference."""
    folder.mkdir(parents=True, exist_ok=True)
    figure, path = plt.subplots(figsize=(5, 5), layout="constrained")
    path.plot(*circle(TIMES), "k", label="reference")
    for label, motion in motions.items():
        path.plot(motion["mass2.x"], motion["mass2.y"], "--", label=label)
    path.set(xlabel="x [m]", ylabel="y [m]", aspect="equal")
    figure.legend(loc="outside upper center", ncols=3)
    figure.savefig(folder / "yu_chen_case2_path.png", dpi=150)
    plt.close(figure)

    figure, axes = plt.subplots(3, 2, figsize=(10, 8), sharex=True, layout="constrained")
    for i, column in enumerate(axes.T, start=1):
        angle, torque, acceleration = column
        angle.plot(TIMES, next(iter(motions.values()))[f"servo{i}.reference"], "k", label="reference")
        for label, motion in motions.items():
            angle.plot(motion.t, motion[f"joint{i}.angle"], "--", label=label)
            torque.plot(motion.t, motion[f"servo{i}.torque"] + motion[f"motor{i}.torque"], label=label)
            acceleration.plot(motion.t, motion[f"accelerometer{i}.acceleration_y"], linewidth=0.7, label=label)
        angle.set_ylabel(f"angle of joint {i} [rad]")
        torque.set_ylabel(f"torque on joint {i} [N m]")
        acceleration.set(ylabel=f"acceleration of tip {i} [m/s²]", xlabel="time [s]")
        angle.legend()
    figure.savefig(folder / "yu_chen_case2.png", dpi=150)
    plt.close(figure)


def main(folder: str | None = None) -> dict[str, fb.Trajectory]:
    """Run the example and return the motions."""
    motions = {"PD": follow_circle(feed_forward=False), "PD + weight": follow_circle(feed_forward=True)}
    for label, motion in motions.items():
        off = miss(motion)
        print(
            f"{label:12s} the tip misses the circle by {off.max():.3f} m at most, {off[-1]:.3f} m after one revolution."
        )
    if folder:
        draw(motions, Path(folder))
    return motions


if __name__ == "__main__":
    main(*sys.argv[1:2])
