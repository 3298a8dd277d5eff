"""Loops of more closures than they need: where those that are kept do not hold them any more, a run says so."""

from functools import cache

import numpy as np
import pytest

import flexblocks as fb

CRANK, APART, START = 0.2, 0.3, 0.7  # [m], [m], [rad]


@cache
def coupled_wheels() -> fb.DAE:
    """Two wheels coupled by two rods, their cranks quartered as a locomotive's: the wheels turn alike, always."""
    model = fb.Model("coupled wheels")
    ground, foot = model.add(fb.Ground("ground")), model.add(fb.FixedTransform("foot", (APART, 0.0, 0.0)))
    model.connect(ground.frame_b, foot.frame_a)
    wheels = []
    for name, place in (("left", ground.frame_b), ("right", foot.frame_b)):
        hinge = model.add(fb.Revolute(name, start=START))
        wheel = model.add(fb.RigidBody(f"{name}_wheel", 2.0, np.diag([0.01, 0.01, 0.02])))
        model.connect(place, hinge.frame_a)
        model.connect(hinge.frame_b, wheel.frame_a)
        wheels.append(wheel)
    for i, phase in enumerate((0.0, np.pi / 2)):
        rod = model.add(fb.RigidLink(f"rod{i}", APART, 0.5))
        for wheel, end, angle, side in ((wheels[0], rod.frame_a, -START, "a"), (wheels[1], rod.frame_b, -START, "b")):
            arm = (CRANK * np.cos(phase), CRANK * np.sin(phase), 0.1 * i)
            crank, pin = (
                model.add(fb.FixedTransform(f"crank{i}{side}", arm)),
                model.add(fb.Revolute(f"pin{i}{side}", start=angle)),
            )
            model.connect(wheel.frame_b, crank.frame_a)
            model.connect(crank.frame_b, pin.frame_a)
            model.connect(pin.frame_b, end)
    return fb.assemble(model)


def test_loops_that_come_open_are_no_result():
    """They part where one parallelogram is in line and its closures are those that were kept."""
    dae = coupled_wheels()
    short = fb.simulate(dae, (0.0, 0.05), x0={"der(left.angle)": 3.0}, method="radau")
    np.testing.assert_allclose(short["left.angle"], short["right.angle"], atol=1e-7)
    with pytest.raises(fb.FlexblocksError, match=r"wrong from t = .* its loops have come open \(.* m and") as caught:
        fb.simulate(dae, (0.0, 4.0), x0={"der(left.angle)": 3.0}, method="radau")
    run = caught.value.trajectory
    assert run.t[-1] < caught.value.time < 4.0
    assert not run.complete
    np.testing.assert_allclose(run["left.angle"], run["right.angle"], atol=0.05)


def test_runs_of_a_batch_whose_loops_come_open_end_there():
    dae = coupled_wheels()
    rates = [0.01, 3.0]  # the first does not get to where the rods are in line, the second passes there eight times
    with pytest.warns(fb.FlexblocksWarning, match=r"1 of 2 runs stopped .* run 1 at t = .* its loops have come open"):
        runs = fb.simulate_batch(dae, np.linspace(0.0, 8.0, 601), x0={"der(left.angle)": rates}, method="radau")
    np.testing.assert_array_equal(runs["complete"], [True, False])
    angles = runs["left.angle"].values - runs["right.angle"].values
    assert np.isnan(angles[1]).any()
    assert np.nanmax(np.abs(angles)) < 0.05


def test_a_name_is_in_a_point_that_has_it():
    point = fb.equilibrium(coupled_wheels())
    assert "left.angle" in point
    assert "left.angel" not in point
