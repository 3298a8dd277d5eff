"""Numerical dissipation of a scheme: none of it is what dampers and friction take."""

from functools import cache

import pytest

import flexblocks as fb
from flexblocks import optim
from flexblocks.optim.model.trajectories import phase_trajectories
from flexblocks.optim.verification.mesh_errors.numerical_dissipation import numerical_dissipation


@cache
def wheel(damping: float, stiffness: float = 40.0) -> fb.DAE:
    """A wheel of 0.05 kg m2 behind a spring, turned by a rotor of 0.02 kg m2 with viscous friction."""
    model = fb.Model("wheel")
    ground, joint = model.add(fb.Ground("ground")), model.add(fb.Revolute("joint", damping=damping))
    motor, rotor = model.add(fb.TorqueSource("motor")), model.add(fb.Rotor("rotor", inertia=0.02))
    spring = model.add(fb.TorsionalSpring("spring", stiffness=stiffness, damping=0.05))
    model.connect(motor.flange_b, rotor.flange_a)
    model.connect(rotor.flange_b, spring.flange_a)
    model.connect(spring.flange_b, joint.axis)
    model.connect(ground.frame_b, joint.frame_a)
    model.connect(joint.frame_b, model.add(fb.Payload("load", mass=1.0, inertia=0.05)).frame_a)
    return fb.assemble(model)


def dissipated(dae: fb.DAE, **options) -> tuple[float, float]:
    """Return what the scheme and what the arm itself dissipates [J] in a turn of 1 rad in 1 s."""
    turn = optim.RestToRest({"joint.angle": 0.0}, {"joint.angle": 1.0}, 1.0, input_ends="holding")
    plan = optim.plan(dae, turn, **options)
    kinetic, potential, work = plan.trajectory.energy[-1] - plan.trajectory.energy[0]
    return numerical_dissipation(phase_trajectories(plan.pyomo_model)), work - kinetic - potential


@pytest.mark.parametrize("damping", [0.0, 0.5])
def test_what_dampers_take_is_not_numerical(damping):
    """On 40 intervals the scheme takes some uJ, whether the joint's damper takes half a joule or none."""
    scheme, arm = dissipated(wheel(damping), intervals=40)
    assert arm == pytest.approx(0.5 * 1.2, abs=0.15) if damping else arm < 0.02  # mean square rate of a smooth turn
    assert scheme < 2e-5


def test_coarse_damping_scheme_takes_energy_that_a_symmetric_one_keeps():
    """A stiff spring, with two periods and more in an interval."""
    dae = wheel(0.0, stiffness=400.0)
    radau, _ = dissipated(dae, intervals=5)
    lobatto, _ = dissipated(dae, intervals=5, scheme="lobatto", degree=4)
    assert radau > 30 * lobatto
