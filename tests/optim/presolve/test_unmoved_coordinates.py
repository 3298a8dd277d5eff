"""What no input acts on stays in balance, and a goal that moves it is refused by its name."""

from functools import cache

import pytest

import flexblocks as fb
from flexblocks import optim

LIGHT, HEAVY = 1.0, 3.0  # kg
UP, ACROSS = (0.0, 0.0, 1.0), (0.0, -1.0, 0.0)


@cache
def slewing_boom(axis: tuple[float, float, float]) -> fb.DAE:
    """A beam that a motor turns about an axis, and that a load bends in the vertical plane and across it."""
    model = fb.Model("boom", gravity=(0.0, 0.0, -9.81))
    ground, motor = model.add(fb.Ground("ground")), model.add(fb.TorqueSource("motor"))
    joint = model.add(fb.Revolute("joint", axis=axis))
    beam = model.add(
        fb.FlexibleBeam("beam", 2.0, 1.0, 2e3, bending="yz", discretization=fb.AssumedModes(1, tip="free"))
    )
    load = model.add(fb.Payload("load", mass=LIGHT))
    model.connect(ground.frame_b, joint.frame_a)
    model.connect(motor.flange_b, joint.axis)
    model.connect(joint.frame_b, beam.frame_a)
    model.connect(beam.frame_b, load.frame_a)
    return fb.assemble(model, symbolic=("load.mass",))


def pick_up(balance: str) -> optim.Problem:
    there = optim.Phase("there", {"joint.angle": 0.5}, 2.0, p={"load.mass": LIGHT}, balance=balance)
    back = optim.Phase("back", {"joint.angle": 0.0}, 2.0, p={"load.mass": HEAVY}, input_jump=True)
    return optim.Problem({"joint.angle": 0.0}, (there, back), input_ends="holding")


def test_a_plane_in_which_nothing_turns_a_beam_cannot_bend_for_the_next_load() -> None:
    with pytest.raises(optim.ProblemError, match=r"no input moves beam\.bending_z\[1\] from -0\.\d+ to -0\.\d+"):
        optim.pyomo_model(slewing_boom(UP), pick_up("next"), intervals=5)


def test_a_plane_in_which_a_joint_turns_the_beam_can() -> None:
    plan = optim.plan(slewing_boom(ACROSS), pick_up("next"), intervals=20)
    assert plan.status == "converged"
