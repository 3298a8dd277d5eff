"""Arms whose FMUs several tests look at, exported once."""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path

from one_link import DCMotor, HardeningSpring, joint_arm

import flexblocks as fb
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


ARMS = {"paper": paper, "algebraic": algebraic}
INPUT = {"paper": ("motor1.torque", 0.1), "algebraic": ("motor.voltage", 3.0)}


@cache
def dae(name: str) -> fb.DAE:
    return ARMS[name]()


@cache
def exported(name: str, version: str) -> str:
    """The FMU of an arm, both kinds in one."""
    return str(export.fmu(dae(name), Path(FOLDER.name, f"{name}_{version[0]}.fmu"), version))
