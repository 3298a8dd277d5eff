"""Starts and goals by place that their path forbids, and expressions that are not defined where a motion begins."""

from functools import cache

import numpy as np
import pytest

import flexblocks as fb
from arms.slider_crank import slider_crank
from flexblocks import optim

FROM, TO = {"payload.x": 0.6, "payload.y": -0.5}, {"payload.x": 0.6, "payload.y": 0.3}


@pytest.fixture(scope="module")
def arm():
    return three_links()


@cache
def three_links(gravity=9.81):
    """Return three rigid links of 0.4 m in a vertical plane, one more than a place needs."""
    model = fb.Model("three links", gravity=(0.0, -gravity, 0.0))
    place = model.add(fb.Ground("ground")).frame_b
    for i in (1, 2, 3):
        joint, motor = (
            model.add(fb.Revolute(f"joint{i}", start=0.4)),
            model.add(fb.TorqueSource(f"motor{i}", limit=15.0)),
        )
        link = model.add(fb.RigidLink(f"link{i}", length=0.4, mass=0.5))
        model.connect(motor.flange_b, joint.axis)
        model.connect(place, joint.frame_a)
        model.connect(joint.frame_b, link.frame_a)
        place = link.frame_b
    model.connect(place, model.add(fb.Payload("payload", mass=0.3)).frame_a)
    return fb.assemble(model)


@pytest.mark.parametrize(
    ("path", "says"),
    [
        (optim.KeepOut(optim.Sphere((0.6, 0.3), 0.1), "payload"), r"goal: not payload outside sphere, by 0\.1 m"),
        (optim.KeepIn(optim.Sphere((0.6, 0.0), 0.4), "payload"), r"start: not payload inside sphere, by 0\.1 m"),
        (optim.Within("payload.y", high=0.2), r"goal: payload\.y = 0\.3 at rest there"),
        (optim.Follow("payload", ((0.6, -0.3), (0.6, 0.3)), 0.01), r"start: .* is 0\.19 m too far from"),
    ],
)
def test_places_that_the_path_forbids_are_refused(arm, path, says):
    """A goal by place leaves the posture open, but not where the payload is: 200 to 1400 iterations before."""
    with pytest.raises(optim.ProblemError, match=says):
        optim.pyomo_model(arm, optim.RestToRest(FROM, TO, 2.0, path=path), intervals=5)


def test_what_the_posture_decides_is_not_refused(arm):
    """The second joint can be within its limit, though the nearest posture has it elsewhere."""
    ends = {"payload.x": 0.5, "payload.y": 0.0}, {"payload.x": 0.5, "payload.y": 0.3}
    bent = optim.RestToRest(*ends, 2.0, path=optim.Within("joint3.angle", low=1.5))
    plan = optim.plan(arm, bent, intervals=10)
    assert plan.trajectory["joint3.angle"].min() > 1.5 - 1e-6


@pytest.mark.slow
def test_distances_from_a_line_are_metres(arm):
    """An arm that follows a line but for gravity, which it does not know of, falls off it by what the line is away."""
    a, b = (0.7, 0.2), (0.7, 0.4)
    there = {"payload.x": a[0], "payload.y": a[1]}, {"payload.x": b[0], "payload.y": b[1]}
    plan = optim.plan(arm, optim.RestToRest(*there, 3.0, path=optim.Follow("payload", (a, b), 1e-3)), intervals=30)
    replay = plan.replay(law=None)
    x, y = replay.trajectory["payload.x"], replay.trajectory["payload.y"]
    off = np.hypot(x - a[0], y - np.clip(y, a[1], b[1])).max() - 1e-3
    assert off > 0.1
    (excess,) = replay.excesses
    assert excess.amount == pytest.approx(off, rel=1e-3)


@pytest.mark.parametrize(("duration", "target"), [pytest.param(3.0, 0.2001, marks=pytest.mark.slow), (1.0, 0.2)])
def test_an_arm_that_holds_its_weight_plans_a_motion_to_where_it_is(arm, duration, target):
    """Its least effort is to swing, whose magnitudes are not those of a motion of no length: no optimum after 500.

    It swings over its upright posture, which takes 40 intervals: with 30 of 0.1 s these end up to 24 mm off.
    """
    there = {"payload.x": 0.7, "payload.y": 0.2}, {"payload.x": 0.7, "payload.y": target}
    plan = optim.plan(arm, optim.RestToRest(*there, duration, input_ends="holding"), intervals=40)
    assert plan.status == "converged"
    assert sum(attempt.iterations for attempt in plan.attempts) < 300


def test_an_arm_without_weight_stands_still_where_nothing_is_asked():
    """A goal by place is its start but for rounding, which is no size to take variables by: no optimum after 500."""
    there = {"payload.x": 0.7, "payload.y": 0.2}
    plan = optim.plan(three_links(0.0), optim.RestToRest(there, there, 3.0, input_ends="holding"), intervals=30)
    assert plan.objective < 1e-12
    assert sum(attempt.iterations for attempt in plan.attempts) < 20
    assert np.ptp(plan.trajectory.x, axis=0).max() < 1e-6


@pytest.mark.parametrize(
    ("more", "says"),
    [
        (
            {"objective": optim.Integral("log(joint3.angle - 3)") + optim.Effort()},
            r"objective: .*log\(joint3\.angle - 3\)",
        ),
        pytest.param(
            {"objective": optim.Final("log(joint3.angle - 3)") + optim.Effort()},
            r"objective: .*log\(joint3\.angle - 3\)",
            marks=pytest.mark.slow,
        ),
        ({"path": optim.Within("sqrt(payload.x - 0.65)", low=0.0)}, r"path: .*sqrt\(payload\.x - 0\.65\)"),
    ],
)
def test_expressions_without_a_value_are_named(arm, more, says):
    """IPOPT's "invalid number" was traced to the torques' limits."""
    with pytest.raises(optim.ProblemError, match=says):
        optim.plan(arm, optim.RestToRest(FROM, TO, 2.0, **more), intervals=5)


def test_refusals_of_equilibria_say_whose_they_are():
    """A linkage that does not reach, and parameters that cannot be: at which end, in which phase or scenario."""
    dae = fb.assemble(slider_crank(), symbolic=("piston.mass",))
    near, far = {"joint.angle": 0.5}, {"slide.displacement": 0.25}
    with pytest.raises(optim.ProblemError, match=r"plan: goal: the loops .* 0\.05 m"):
        optim.plan(dae, optim.RestToRest(near, far, 0.5), intervals=5)
    with pytest.raises(optim.ProblemError, match=r"plan: start: the loops .* 0\.05 m"):
        optim.plan(dae, optim.RestToRest(far, near, 0.5), intervals=5)
    light = optim.Phase("turn", {"joint.angle": 1.0}, 0.5, p={"piston.mass": -0.1})
    with pytest.raises(fb.FlexblocksError, match=r"plan: phase 'turn': p: piston\.mass = -0\.1; must be at least 0"):
        optim.plan(dae, optim.Problem(near, (light,)), intervals=5)
    with pytest.raises(fb.FlexblocksError, match=r"no parameter 'crank\.length'.*symbolic=\(\"crank\.length\",\)"):
        optim.plan(dae, optim.RestToRest(near, {"joint.angle": 1.0}, 0.5), p={"crank.length": 0.04}, intervals=5)
