"""Default tolerances follow the size of the motion: scaled arms and forces give scaled motions, down to rounding."""

import math
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import flexblocks as fb
from arms.library import subudhi_morris

OMEGA = math.sqrt(10.0)


@cache
def stage(start: float = 0.0) -> fb.DAE:
    """A table of 0.1 kg on a spring of 1 N/m, pushed along its slide."""
    model = fb.Model("stage")
    ground, slide = model.add(fb.Ground("ground")), model.add(fb.Prismatic("slide", axis=(1, 0, 0), start=start))
    table, push = model.add(fb.Payload("table", mass=0.1)), model.add(fb.ForceSource("push"))
    wall = model.add(fb.FixedTransform("wall", (-1.0, 0.0, 0.0)))
    spring = model.add(fb.SpringDamper("spring", stiffness=1.0, free_length=1.0 + start))
    model.connect(ground.frame_b, slide.frame_a, wall.frame_a)
    model.connect(slide.frame_b, table.frame_a, spring.frame_b)
    model.connect(wall.frame_b, spring.frame_a)
    model.connect(push.flange_b, slide.axis)
    return fb.assemble(model)


STAGE, AWAY = stage(), stage(1.0)
TIMES = np.linspace(0.0, 10.0, 51)


def error(dae: fb.DAE, force: float, **options: object) -> float:
    run = fb.simulate(dae, TIMES, u={"push.force": force}, **options)
    right = force * (1.0 - np.cos(OMEGA * TIMES))
    return np.abs(run["slide.displacement"] - run["slide.displacement"][0] - right).max() / (2 * force)


@pytest.mark.parametrize("method", ["auto", "bdf", "idas", "dop853", "rk8", "rk43", "radau", "rk8-radau"])
def test_a_motion_of_a_nanometre_is_right(method: str) -> None:
    for force in (1e-3, 1e-9):
        assert error(STAGE, force, method=method) < 1e-4


@settings(max_examples=5, deadline=None)
@given(st.floats(-9.0, -1.0))
def test_a_motion_of_any_size_is_right(exponent: float) -> None:
    assert error(STAGE, 10.0**exponent) < 1e-4
    assert error(AWAY, 10.0**exponent) < max(1e-4, 1e-13 / 10.0**exponent)  # down to the rounding of 1 m


@pytest.mark.parametrize("size", [1e-9, 1e3])
def test_a_free_mass_goes_as_far_as_it_is_pushed(size: float) -> None:
    model = fb.Model("sledge")
    slide, push = model.add(fb.Prismatic("slide", axis=(1, 0, 0))), model.add(fb.ForceSource("push"))
    load = model.add(fb.Payload("load", mass=2.0))
    model.connect(model.add(fb.Ground("ground")).frame_b, slide.frame_a)
    model.connect(slide.frame_b, load.frame_a)
    model.connect(push.flange_b, slide.axis)
    run = fb.simulate(fb.assemble(model), (0.0, 2.0), u={"push.force": lambda t: size * np.sin(t)})
    right = size / 2.0 * (run.t - np.sin(run.t))
    np.testing.assert_allclose(run["slide.displacement"], right, atol=1e-8 * right.max())
    np.testing.assert_allclose(run["work"], run["kinetic_energy"], atol=1e-8 * run["work"].max())


def test_a_stated_tolerance_is_kept_as_it_is() -> None:
    assert error(STAGE, 1e-9, atol=1e-11) > 1e-3


def test_runs_of_a_batch_have_the_digits_of_single_ones() -> None:
    forces = [1e-9, 1e-3]
    runs = fb.simulate_batch(STAGE, TIMES, u={"push.force": forces})
    for run, force in enumerate(forces):
        alone = fb.simulate(STAGE, TIMES, u={"push.force": force})
        np.testing.assert_array_equal(runs["slide.displacement"].values[run], alone["slide.displacement"])


@pytest.mark.parametrize(("method", "start"), [("auto", 0.7), ("adams", 0.0), ("radau", 0.7)])
def test_a_flexible_arm_moves_in_proportion_to_a_small_torque(start: float, method: str) -> None:
    model = fb.Model("arm")
    motor, joint = model.add(fb.TorqueSource("motor")), model.add(fb.Revolute("joint", start=start))
    modes = fb.AssumedModes(n=2, tip="auto")
    link = model.add(
        fb.FlexibleBeam("link", 1.0, linear_density=0.5, flexural_rigidity=50.0, discretization=modes, bending="y")
    )
    load = model.add(fb.Payload("load", mass=0.2))
    model.connect(model.add(fb.Ground("ground")).frame_b, joint.frame_a)
    model.connect(joint.frame_b, link.frame_a)
    model.connect(link.frame_b, load.frame_a)
    model.connect(motor.flange_b, joint.axis)
    dae, times = fb.assemble(model), np.linspace(0.0, 0.3, 11)
    large, small = (fb.simulate(dae, times, u={"motor.torque": torque}, method=method).x for torque in (1e-4, 1e-8))
    n = dae.tree.size
    moved = [(x[:, :n] - x[0, :n]) / torque for x, torque in ((large, 1e-4), (small, 1e-8))]
    assert np.abs(moved[0] - moved[1]).max() < 1e-4 * np.abs(moved[0]).max()


def test_an_inverted_pendulum_keeps_its_first_nanoradian() -> None:
    """What falls from 1e-9 rad multiplies its errors of the beginning."""
    model = fb.Model("pendulum", gravity=(9.81, 0.0, 0.0))
    joint, rod = model.add(fb.Revolute("joint", start=1e-9)), model.add(fb.RigidLink("rod", length=1.0, mass=1.0))
    model.connect(model.add(fb.Ground("ground")).frame_b, joint.frame_a)
    model.connect(joint.frame_b, rod.frame_a)
    dae = fb.assemble(model)
    fine = fb.simulate(dae, np.linspace(0.0, 4.0, 41), rtol=1e-12, atol=1e-22)
    run = fb.simulate(dae, np.linspace(0.0, 4.0, 41))
    assert np.abs(run["joint.angle"] - fine["joint.angle"]).max() < 1e-4 * np.abs(fine["joint.angle"]).max()


@pytest.mark.parametrize("method", ["auto", "adams", "bdf", "rk8", "radau"])
def test_what_rests_by_rounding_alone_takes_few_steps(method: str) -> None:
    """A pendulum that hangs, with the cosine of a right angle as its torque."""
    model = fb.Model("pendulum", gravity=(0.0, -9.81, 0.0))
    joint, rod = (
        model.add(fb.Revolute("joint", start=-math.pi / 2)),
        model.add(fb.RigidLink("rod", length=1.0, mass=3.0)),
    )
    model.connect(model.add(fb.Ground("ground")).frame_b, joint.frame_a)
    model.connect(joint.frame_b, rod.frame_a)
    run = fb.simulate(fb.assemble(model), (0.0, 10.0), method=method, max_steps=3000)
    assert np.abs(run["joint.angle"] + math.pi / 2).max() < 1e-13


def test_an_arm_held_in_its_sag_takes_few_steps() -> None:
    dae = subudhi_morris()
    held = fb.equilibrium(dae, {"joint1.angle": 0.4})
    inputs = dict(zip(dae.u.names, held.u.tolist(), strict=True))
    run = fb.simulate(dae, (0.0, 0.5), u=inputs, x0=held.x, max_steps=30_000)
    assert np.abs(run.x - held.x).max() < 1e-7
