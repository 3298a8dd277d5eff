"""Limits on the moment and the stress at the root of a beam with a section."""

import numpy as np
import pytest

import flexblocks as fb
from flexblocks import optim

HEIGHT, DEPTH = 0.02, 0.004  # m; it bends about the thin side
STRESS, MOMENT = "link1.root_stress", "link1.root_moment_y"


@pytest.fixture(scope="module")
def rod():
    """A steel rod with a load at its tip, turned by a motor; it bends in the plane of its width."""
    model = fb.Model("rod")
    ground, joint = model.add(fb.Ground("ground")), model.add(fb.Revolute("joint1"))
    motor, load = model.add(fb.TorqueSource("motor1")), model.add(fb.Payload("payload", mass=0.2, inertia=1e-3))
    link = model.add(
        fb.FlexibleBeam(
            "link1",
            length=0.5,
            section=fb.Rectangle(width=HEIGHT, height=DEPTH),
            material=fb.Material(density=7850.0, youngs_modulus=2.1e11, poissons_ratio=0.3),
            discretization=fb.AssumedModes(2, tip="free"),
            internal_forces=(0.0,),
        )
    )
    for one, other in (
        (motor.flange_b, joint.axis),
        (ground.frame_b, joint.frame_a),
        (joint.frame_b, link.frame_a),
        (link.frame_b, load.frame_a),
    ):
        model.connect(one, other)
    return fb.assemble(model)


def turn(**more):
    effort = optim.Effort(rate_weight=0.01)
    return optim.RestToRest({"joint1.angle": 0.0}, {"joint1.angle": 1.0}, 0.6, effort, input_ends="holding", **more)


# The stress exceeds its limit by a little more than 1 % between collocation points.
@pytest.mark.filterwarnings("ignore:Plan of 'rod'. beyond its limits between collocation points")
def test_moment_and_stress_are_one_limit(rod):
    """Bending alone: stress = moment / W. A limit on either makes the same plan, and the rod keeps it when replayed."""
    free = optim.plan(rod, turn(), intervals=20)
    most = {name: 0.85 * np.abs(free.trajectory[name]).max() for name in (STRESS, MOMENT)}
    plans = [optim.plan(rod, turn(limits={name: value}), intervals=20) for name, value in most.items()]
    modulus = most[MOMENT] / most[STRESS]
    assert modulus in (pytest.approx(HEIGHT * DEPTH**2 / 6), pytest.approx(DEPTH * HEIGHT**2 / 6))
    for name, plan in zip(most, plans, strict=True):
        assert 0.99 < np.abs(plan.trajectory[name]).max() / most[name] < 1 + 1e-6
        assert np.abs(plan.replay().trajectory[name]).max() < 1.02 * most[name]
        assert plan.objective > 1.02 * free.objective
    assert plans[0].objective == pytest.approx(plans[1].objective, rel=1e-5)
