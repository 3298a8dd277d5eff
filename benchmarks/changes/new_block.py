"""A new block: a hardening spring, whose stiffness grows with the square of its deflection."""

from __future__ import annotations

from benchmarks.changes.change import Change, after

REGISTER = "flexblocks/blocks/__init__.py"

BLOCK = '''\
"""Hardening spring: Duffing's spring between two flanges."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from flexblocks.blocks.drives.shaft import TWO_FLANGES, two_ends, two_flanges
from flexblocks.interfaces import NOT_NEGATIVE, Block, Coordinate, Frame, Local, Output, Physics, parameter


@dataclass(frozen=True)
class HardeningSpring(Block):
    """A spring whose torque is stiffness d + hardening d^3 at the deflection d, as of a strain-wave gear.

    Parameters
    ----------
    name : str
    stiffness : float
        [N m/rad]
    hardening : float
        [N m/rad3]

    Notes
    -----
    Output ``deflection``: angle of `flange_b` less angle of `flange_a` [rad].
    """

    stiffness: float = parameter("N m/rad", NOT_NEGATIVE)
    hardening: float = parameter("N m/rad3", NOT_NEGATIVE)

    ports = TWO_FLANGES

    def coordinates(self) -> tuple[Coordinate, ...]:
        return two_ends()

    def flanges(self) -> Mapping[str, tuple[str, float]]:
        return two_flanges()

    def physics(self, frame: Frame | None, local: Local) -> Physics:
        del frame
        deflection = local["angle_b"] - local["angle_a"]
        return Physics(
            potential=self.stiffness * deflection**2 / 2 + self.hardening * deflection**4 / 4,
            outputs={"deflection": Output(deflection, "rad")},
        )
'''

CHECK = """
import numpy as np
import flexblocks as fb
from scipy.special import ellipk

model = fb.Model("Duffing's oscillator")
model.add(fb.Ground("ground"))
wall = model.add(fb.Fixed("wall"))
spring = model.add(fb.HardeningSpring("spring", stiffness=4.0, hardening=50.0))
rotor = model.add(fb.Rotor("rotor", inertia=0.1))
motor = model.add(fb.TorqueSource("motor"))
model.connect(wall.flange_b, spring.flange_a)
model.connect(spring.flange_b, rotor.flange_a)
model.connect(motor.flange_b, rotor.flange_b)

# A model file holds it, and its symbolic parameter is one of the DAE.
model.save("duffing.yaml")
dae = fb.assemble(fb.load("duffing.yaml"), symbolic=("spring.hardening",))
assert dae.p.names == ("spring.hardening",)

# At rest under a torque: 4 d + 50 d^3 = 1.2.
point = fb.equilibrium(dae, u={"motor.torque": 1.2})
angle = point["rotor.angle"]
assert np.isclose(4.0 * angle + 50.0 * angle**3, 1.2)

# The free swing has the period of Duffing's equation: 4 K(k^2) / sqrt(a + b A^2), k^2 = b A^2 / (2 (a + b A^2)).
a, b, amplitude = 4.0 / 0.1, 50.0 / 0.1, 0.3
stiffest = a + b * amplitude**2
period = 4 * ellipk(b * amplitude**2 / (2 * stiffest)) / np.sqrt(stiffest)
run = fb.simulate(dae, (0.0, 5 * period), x0={"rotor.angle": amplitude}, rtol=1e-10, atol=1e-10)
assert np.isclose(run["rotor.angle"][-1], amplitude, atol=1e-6)
assert np.isclose(run["spring.deflection"][-1], amplitude, atol=1e-6)
"""

CHANGE = Change(
    name="new block",
    at_most=2,
    files={"flexblocks/blocks/drives/hardening_spring.py": BLOCK},
    edits=(
        after(
            REGISTER,
            "from flexblocks.blocks.drives.gear import Gear\n",
            "from flexblocks.blocks.drives.hardening_spring import HardeningSpring\n",
        ),
        after(REGISTER, '    "Ground",\n', '    "HardeningSpring",\n'),
    ),
    check=CHECK,
)
