"""Arms whose FMUs several tests look at, exported once."""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path

import flexblocks as fb
from arms.force_arms import everything
from arms.linkages import FourBar
from arms.one_link import DCMotor, HardeningSpring, joint_arm
from flexblocks import export, models

VERSIONS = ("2.0", "3.0")
KINDS = ("ModelExchange", "CoSimulation")
FOLDER = tempfile.TemporaryDirectory()


def paper() -> fb.DAE:
    """The two-link arm with a parameter."""
    return fb.assemble(models.subudhi_morris_2002(), symbolic=("payload.mass",))


def algebraic() -> fb.DAE:
    """A current, an algebraic variable that its equation gives implicitly, and a parameter."""
    link = fb.RigidLink("link", length=0.5, mass=0.1)
    drive = (DCMotor("motor"), HardeningSpring("hard"))
    return fb.assemble(joint_arm(beam=link, drive=drive), symbolic=("link.mass",))


def sliding() -> fb.DAE:
    """A beam that slides out of a turning hub; the roots of its shapes are algebraic variables."""
    model = fb.Model("sliding", gravity=(0.3, -9.81, 0.0))
    joint, push, motor = (
        model.add(fb.Revolute("joint")), model.add(fb.ForceSource("push")), model.add(fb.TorqueSource("motor"))
    )  # fmt: skip
    shapes = {"discretization": fb.AssumedModes(1, tip="auto"), "shapes": "algebraic"}
    beam = model.add(fb.SlidingBeam("beam", 1.3, 0.331, 5.0, start=0.5, bending="y", **shapes))
    model.connect(model.add(fb.Ground("ground")).frame_b, joint.frame_a)
    model.connect(joint.frame_b, beam.frame_a)
    model.connect(motor.flange_b, joint.axis)
    model.connect(push.flange_b, beam.axis)
    model.connect(beam.frame_b, model.add(fb.Payload("load", 0.2, 0.012)).frame_a)
    return fb.assemble(model)


def linkage() -> fb.DAE:
    """A four-bar linkage with a coupler that bends: a closed kinematic loop."""
    return fb.assemble(FourBar(rigidity=0.5).model())


ARMS = {"forces": everything, "paper": paper, "algebraic": algebraic, "sliding": sliding, "linkage": linkage}
INPUT = {
    "forces": ("ram.force", 2.0),
    "paper": ("motor1.torque", 0.1),
    "algebraic": ("motor.voltage", 3.0),
    "sliding": ("push.force", 0.5),
    "linkage": ("motor.torque", 0.4),
}


@cache
def dae(name: str) -> fb.DAE:
    return ARMS[name]()


@cache
def exported(name: str, version: str) -> str:
    """The FMU of an arm, both kinds in one."""
    return str(export.fmu(dae(name), Path(FOLDER.name, f"{name}_{version[0]}.fmu"), version))
