"""Starts on the slow manifold: no vibration that the steps damp, what is given is kept, loops stay closed."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import flexblocks as fb
from arms.misaligned_four_bar import SPEED, misaligned_four_bar
from flexblocks.constraints.loop_equations import closure_equations, gap

STEEL = fb.Material(density=7800.0, youngs_modulus=207e9, poissons_ratio=0.3)
STEP, LOADS = 1e-2, {"motor.torque": 30.0}
START = {"joint.angle": 0.3, "der(joint.angle)": 1.0}


@cache
def boom(discretization: fb.Discretization, elastic_joint: bool, size: float = 1.0) -> fb.DAE:
    """Return a boom of 2 m times `size` with a load, raised by a motor; its joint may be elastic."""
    model = fb.Model("boom", gravity=(0.0, -9.81, 0.0))
    ground, joint = model.add(fb.Ground("ground")), model.add(fb.Revolute("joint", start=0.3))
    section = fb.Rectangle(width=0.02 * size, height=0.02 * size)
    beam = model.add(
        fb.FlexibleBeam("beam", 2.0 * size, section=section, material=STEEL, discretization=discretization)
    )
    load, motor = model.add(fb.Payload("load", 5.0 * size**3)), model.add(fb.TorqueSource("motor"))
    model.connect(ground.frame_b, joint.frame_a)
    model.connect(joint.frame_b, beam.frame_a)
    model.connect(beam.frame_b, load.frame_a)
    if elastic_joint:
        rotor, spring = model.add(fb.Rotor("rotor", 2.0)), model.add(fb.TorsionalSpring("spring", 2e4))
        model.connect(motor.flange_b, rotor.flange_a)
        model.connect(rotor.flange_b, spring.flange_a)
        model.connect(spring.flange_b, joint.axis)
    else:
        model.connect(motor.flange_b, joint.axis)
    return fb.assemble(model)


def shake(dae: fb.DAE, x0: object, loads: dict[str, float], step: float) -> float:
    """Return how much the deflections vibrate from a start, as explicit steps that follow all of it see."""
    run = fb.simulate(dae, np.arange(0.0, 2 * step, step / 50), u=loads, x0=x0, rtol=1e-8)
    bends = [i for i, name in enumerate(dae.q_names) if "beam" in name]
    return float(np.max(np.abs(np.diff(run.x[:, bends], 3, axis=0))))


@pytest.mark.filterwarnings("ignore:.*took .* out of vibrations")
@pytest.mark.parametrize(
    ("kind", "elastic_joint"),
    [(fb.FiniteElements(2), True), (fb.StrainModes(2), False), (fb.AssumedModes(2), True)],
    ids=repr,
)
def test_an_arm_that_begins_slowly_does_not_ring(kind: fb.Discretization, elastic_joint: bool) -> None:
    dae = boom(kind, elastic_joint)
    x0 = START | ({"rotor.angle": 0.3} if elastic_joint else {})
    run = fb.simulate(dae, (0.0, 0.1), u=LOADS, x0=x0, method="implicit", step=STEP, slow_start=True)
    for name, value in x0.items():
        assert run[name][0] == value
    assert run.damped_modes
    assert shake(dae, run.x[0], LOADS, STEP) < 0.2 * shake(dae, x0, LOADS, STEP)


@pytest.mark.filterwarnings("ignore:.*took .* out of vibrations")
@pytest.mark.filterwarnings("ignore:.*deflects by")
@pytest.mark.parametrize("size", [0.05, 15.0])
def test_nor_do_small_and_large_ones(size: float) -> None:
    """Arms of 0.1 m with half a gram, and of 30 m with 17 t, in their own time."""
    dae, step = boom(fb.FiniteElements(2), elastic_joint=False, size=size), STEP * size**0.5
    loads = {"motor.torque": 120.0 * size**4}
    run = fb.simulate(dae, (0.0, 10 * step), u=loads, x0=START, method="implicit", step=step, slow_start=True)
    assert run.damped_modes
    assert shake(dae, run.x[0], loads, step) < 0.2 * shake(dae, START, loads, step)


@pytest.mark.filterwarnings("ignore:.*took .* out of vibrations")
def test_what_the_steps_resolve_stays() -> None:
    dae = boom(fb.AssumedModes(1), False)
    run = fb.simulate(dae, (0.0, 0.01), u=LOADS, x0=START, method="implicit", step=1e-3, slow_start=True)
    assert not run.damped_modes
    assert run["beam.bending_y[1]"][0] == 0.0


@pytest.mark.filterwarnings("ignore:.*took .* out of vibrations")
@pytest.mark.filterwarnings("ignore:.*change point")
def test_loops_are_closed_where_their_bars_have_bent() -> None:
    dae = fb.assemble(misaligned_four_bar(fb.FiniteElements(1)), prescribed="A.angle")
    turn = {"A.angle": lambda t: np.pi / 2 - SPEED * t}
    run = fb.simulate(dae, (0.0, 0.02), u=turn, method="implicit", step=4e-3, slow_start=True)
    assert gap(closure_equations(dae), run.x[0, : dae.tree.size], dae.p.start) < 1e-9
    assert run["der(A.angle)"][0] == pytest.approx(-SPEED)
