"""A pendulum and a driven rotor, whose motions are known in closed form."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.special import ellipj, ellipk

import flexblocks as fb
from flexblocks.interfaces.block import Block
from flexblocks.interfaces.block_variables import GUEST, Coordinate, Variable
from flexblocks.interfaces.parameters import POSITIVE, parameter
from flexblocks.interfaces.physics import Load, Physics
from flexblocks.interfaces.ports import flange

G, LENGTH, MASS = 9.81, 0.5, 1.3


def pendulum(damping=0.0, symbolic=()):
    """A point mass on a massless rod; angle 0 is horizontal, -pi/2 hanging."""
    model = fb.Model("pendulum", gravity=(0.0, -G, 0.0))
    ground = model.add(fb.Ground("ground"))
    joint = model.add(fb.Revolute("joint", damping=damping, start=-math.pi / 2))
    bob = model.add(fb.Payload("bob", mass=MASS, center=(LENGTH, 0.0, 0.0)))
    model.connect(ground.frame_b, joint.frame_a)
    model.connect(joint.frame_b, bob.frame_a)
    return fb.assemble(model, symbolic)


def pendulum_angle(t, amplitude):
    """Angle from the vertical of a pendulum released at `amplitude`, by Jacobi's elliptic functions."""
    k = math.sin(amplitude / 2)
    sn, _, _, _ = ellipj(ellipk(k**2) - math.sqrt(G / LENGTH) * t, k**2)
    return 2 * np.arcsin(k * sn)


@dataclass(frozen=True)
class Machine(Block):
    """A direct-current machine: torque = constant * current."""

    constant: float = parameter("N m/A", POSITIVE, default=0.3)
    resistance: float = parameter("Ohm", POSITIVE, default=1.5)
    inductance: float = parameter("H", POSITIVE, default=0.02)
    ports: ClassVar = (flange("flange_b"),)

    def coordinates(self):
        return (Coordinate("angle", "rad", rank=GUEST),)

    def flanges(self):
        return {"flange_b": ("angle", 1.0)}

    def inputs(self):
        return (Variable("voltage", "V"),)

    def drop(self, local):
        """Voltage left for the inductance [V]."""
        back = self.constant * local.rate(local["angle"])
        return local["voltage"] - self.resistance * local["current"] - back

    def load(self, local):
        return (Load(self.constant * local["current"], local["angle"]),)


class Motor(Machine):
    def states(self):
        return (Variable("current", "A"),)

    def physics(self, frame, local):
        return Physics(loads=self.load(local), derivatives={"current": self.drop(local) / self.inductance})


class QuasiStaticMotor(Machine):
    def algebraics(self):
        return (Variable("current", "A"),)

    def physics(self, frame, local):
        return Physics(loads=self.load(local), residuals=(self.drop(local),))


INERTIA = 0.04


def driven(motor, inertia=INERTIA, **start):
    model = fb.Model("drive")
    model.add(fb.Ground("ground"))
    rotor = model.add(fb.Rotor("rotor", inertia=inertia, **start))
    model.add(motor)
    model.connect(motor.flange_b, rotor.flange_a)
    return fb.assemble(model)
