"""A new joint: a screw, which advances as it turns."""

from __future__ import annotations

from benchmarks.changes.change import Change, after

REGISTER = "flexblocks/blocks/__init__.py"

JOINT = '''\
"""Screw joint."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from flexblocks.blocks.joints.joint import Joint
from flexblocks.interfaces import (
    NONZERO,
    NOT_NEGATIVE,
    Coordinate,
    Frame,
    Local,
    Physics,
    flange,
    inlet,
    outlet,
    parameter,
)


@dataclass(frozen=True, init=False)
class Screw(Joint):
    """A screw: `frame_b` is `frame_a` turned about `axis` by the coordinate ``angle`` and moved along it by the lead.

    Parameters
    ----------
    name : str
    axis : sequence of 3 floats
        In the axes of `frame_a`; scaled to length 1.
    lead : float
        Advance by one turn [m]; negative for a left-handed thread.
    damping : float
        Viscous friction [N m s/rad].
    start : float
        Start value of ``angle`` [rad].

    Notes
    -----
    Ports: ``frame_a``, ``frame_b``, and ``axis``, the drive side. Torque on the drive side reacts on `frame_a`.
    """

    lead: float = parameter("m", NONZERO, default=0.01)
    damping: float = parameter("N m s/rad", NOT_NEGATIVE, default=0.0)
    start: float = parameter("rad", default=0.0, symbolic=False)

    ports = (inlet(), outlet(), flange("axis", optional=True))

    def __init__(
        self,
        name: str,
        axis: Sequence[float] = (0.0, 0.0, 1.0),
        lead: float = 0.01,
        damping: float = 0.0,
        start: float = 0.0,
    ) -> None:
        object.__setattr__(self, "lead", lead)
        super().__init__(name, axis, damping, start)

    def coordinates(self) -> tuple[Coordinate, ...]:
        return (Coordinate("angle", "rad", self.start),)

    def physics(self, frame: Frame | None, local: Local) -> Physics:
        assert frame is not None
        angle = local["angle"]
        advance = self.lead / (2 * math.pi) * angle
        turned = frame.translate([advance * component for component in self.direction]).rotate(self.direction, angle)
        return Physics(outlets={"frame_b": turned}, dissipation=self.damping * local.rate(angle) ** 2 / 2)
'''

CHECK = """
import numpy as np
import flexblocks as fb

# A nut that falls on an upright spindle: m g (lead / 2 pi) turns J + m (lead / 2 pi)^2.
model = fb.Model("nut", gravity=(0.0, 0.0, -9.81))
ground, screw = model.add(fb.Ground("ground")), model.add(fb.Screw("screw", axis=(0, 0, 1), lead=0.1))
nut, motor = model.add(fb.Payload("nut", mass=2.0, inertia=0.001)), model.add(fb.TorqueSource("motor"))
model.connect(ground.frame_b, screw.frame_a)
model.connect(screw.frame_b, nut.frame_a)
model.connect(motor.flange_b, screw.axis)
model.save("nut.yaml")
dae = fb.assemble(fb.load("nut.yaml"))

pitch = 0.1 / (2 * np.pi)
run = fb.simulate(dae, (0.0, 1.0))
acceleration = -2.0 * 9.81 * pitch / (0.001 + 2.0 * pitch**2)
assert np.isclose(run["screw.angle"][-1], acceleration / 2, rtol=1e-6)
assert np.isclose(run["nut.z"][-1], pitch * acceleration / 2, rtol=1e-6)
assert np.allclose(run.energy.sum(axis=1) - 2 * run.energy[:, 2], run.energy[0, :2].sum(), atol=1e-5)

# A torque of m g lead / (2 pi) holds it.
point = fb.equilibrium(dae, x={"screw.angle": 0.0})
assert np.isclose(point["motor.torque"], 2.0 * 9.81 * pitch)
"""

CHANGE = Change(
    name="new joint",
    at_most=2,
    files={"flexblocks/blocks/joints/screw.py": JOINT},
    edits=(
        after(
            REGISTER,
            "from flexblocks.blocks.joints.revolute import Revolute\n",
            "from flexblocks.blocks.joints.screw import Screw\n",
        ),
        after(REGISTER, '    "Rotor",\n', '    "Screw",\n'),
    ),
    check=CHECK,
)
