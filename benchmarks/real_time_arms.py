"""Arms on which model predictive control is measured."""

from __future__ import annotations

import time
from typing import Any, Literal

import numpy as np

import flexblocks as fb
from benchmarks.real_time_others import EFFORT, TOLERANCE
from benchmarks.real_time_tracking import CENTRE, LIMITS, START, height
from flexblocks import models, optim
from flexblocks.dae.dae import DAE

SAMPLE, HORIZON, INTERVALS = 1e-2, 0.6, 20  # s, s, of the times
RADIUS = 0.03  # of gyration of rigid links about their own axis [m]


def six_joints(booms: int) -> fb.Model:
    """Return a robot of six elastic joints, 24 states; two of its links bend if they have modes, two states each."""
    model = fb.Model("six joints", gravity=(0.0, 0.0, -9.81))
    at = model.add(fb.Ground("ground")).frame_b
    axes = [(0, 0, 1), (0, 1, 0), (0, 1, 0), (1, 0, 0), (0, 1, 0), (1, 0, 0)]
    lengths, masses = [0.3, 0.5, 0.45, 0.15, 0.12, 0.08], [6.0, 5.0, 4.0, 2.0, 1.2, 0.6]
    stiffness, inertia = [9e3, 9e3, 6e3, 2e3, 1.5e3, 1e3], [1.2, 1.2, 0.8, 0.25, 0.2, 0.1]
    limits = [150.0, 250.0, 120.0, 30.0, 25.0, 12.0]
    for i in range(6):
        joint = model.add(fb.Revolute(f"joint{i + 1}", axis=axes[i]))
        motor = model.add(fb.TorqueSource(f"motor{i + 1}", limit=limits[i]))
        rotor = model.add(fb.Rotor(f"rotor{i + 1}", inertia=inertia[i]))
        spring = model.add(fb.TorsionalSpring(f"spring{i + 1}", stiffness=stiffness[i], damping=5e-4 * stiffness[i]))
        about, across = masses[i] * RADIUS**2, masses[i] * lengths[i] ** 2 / 12
        link: Any = fb.RigidLink(f"link{i + 1}", length=lengths[i], mass=masses[i], inertia=(about, across, across))
        if booms and i in (1, 2):
            link = fb.FlexibleBeam(
                f"link{i + 1}", length=lengths[i], linear_density=masses[i] / lengths[i], flexural_rigidity=2.5e3,
                discretization=fb.AssumedModes(booms), bending="yz",
            )  # fmt: skip
        link = model.add(link)
        model.connect(motor.flange_b, rotor.flange_a)
        model.connect(rotor.flange_b, spring.flange_a)
        model.connect(spring.flange_b, joint.axis)
        model.connect(at, joint.frame_a)
        model.connect(joint.frame_b, link.frame_a)
        at = link.frame_b
    model.connect(at, model.add(fb.Payload("payload", mass=3.0, inertia=(0.01, 0.01, 0.01))).frame_a)
    return model


def timed_arms() -> dict[str, tuple[fb.Model, dict[str, float], float]]:
    """Return arms of 16 to 48 states by name, with their starts and how far their tips are to go [m]."""
    bent = {f"{kind}{i}.angle": 0.6 for kind in ("rotor", "joint") for i in (2, 3, 4, 5)}
    return {
        "two links": (models.subudhi_morris_2002(), START, 0.05),
        "six joints": (six_joints(0), bent, 0.05),
        "six joints, booms": (six_joints(1), bent, 0.05),
        "six joints, booms of three modes": (six_joints(3), bent, 0.05),
    }


def timed_law(
    dae: DAE, start: dict[str, float], way: float, solver: Literal["condensed", "hpipm"] = "condensed"
) -> optim.MPC:
    """Return the law that moves the tip of such an arm."""
    tip = {name: dae.y.names.index(name) for name in ("payload.x", "payload.y", "payload.z") if name in dae.y.names}
    places = dae.output(dae.x.values(start), 0, dae.p.start).full().ravel()
    goals = {name: float(places[i]) - way / 2 for name, i in tip.items() if name != "payload.z" or len(dae.u) > 2}
    return optim.MPC(
        dae, optim.Tracking(goals, tolerance=way / 50), SAMPLE, HORIZON, INTERVALS,
        LIMITS if "motor1.torque" in dae.u and len(dae.u) == 2 else None, at=start, solver=solver,
        effort=None if np.all(np.isfinite(dae.u.limits)) else 100.0,
    )  # fmt: skip


def sine_law(dae: DAE, intervals: int = INTERVALS) -> optim.MPC:
    """Return the law that follows a sine with the tip of two flexible links."""
    task = optim.Tracking({"payload.x": CENTRE, "payload.y": height}, tolerance=TOLERANCE)
    effort = {name: EFFORT * limit for name, limit in LIMITS.items()}
    return optim.MPC(dae, task, SAMPLE, HORIZON, intervals, LIMITS, at=START, effort=effort)


def missed(mpc: optim.MPC, x: np.ndarray, t: float) -> float:
    """Return how far the tip is from where it is to be [m]."""
    places = mpc.dae.output(x, 0, mpc.dae.p.start).full().ravel()
    goals = {name: goal(t) if callable(goal) else goal for name, goal in mpc.objective.paths.items()}
    return float(np.linalg.norm([places[mpc.dae.y.names.index(name)] - goal for name, goal in goals.items()]))


class Called:
    """The iteration of a law, called with as little of Python as can be.

    Attributes
    ----------
    x, u : ndarray
        The state that it is given, and its command.
    """

    def __init__(self, mpc: optim.MPC, dae: DAE, start: dict[str, float]) -> None:
        iteration = mpc.iteration
        buffer: Any
        buffer, self._call = iteration.buffer()
        self.x, self.u = dae.x.values(start), np.zeros(iteration.numel_out(1))
        self._memory, self._after = np.zeros(iteration.numel_in(0)), np.zeros(iteration.numel_out(0))
        given: tuple[Any, ...] = self._memory, self.x, np.zeros(iteration.numel_in(2)), np.array(dae.p.start)
        self._kept = mpc, buffer, given  # memory that the call uses
        for i, each in enumerate(given):
            if each.size:
                buffer.set_arg(i, memoryview(each))
        results: tuple[Any, ...] = self._after, self.u
        for i, each in enumerate(results):
            buffer.set_res(i, memoryview(each))

    def sample(self) -> float:
        """Take one iteration, and return its CPU time [s]."""
        begin = time.thread_time()
        self._call()
        taken = time.thread_time() - begin
        self._memory[:] = self._after
        return taken
