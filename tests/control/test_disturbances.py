"""Laws drive actuators, and know nothing of disturbances."""

from functools import cache

import casadi as ca
import numpy as np
import pytest

import flexblocks as fb
from flexblocks import control
from flexblocks.errors import ParameterError

MOTOR = "motor.torque"
LOOP = {"hinge.angle": MOTOR}


@cache
def arm(disturbed=True, motor=True):
    model = fb.Model("arm", gravity=(0.0, -9.81, 0.0))
    ground, hinge = model.add(fb.Ground("ground")), model.add(fb.Revolute("hinge"))
    rod = model.add(fb.RigidLink("rod", length=1.0, mass=2.0))
    model.connect(ground.frame_b, hinge.frame_a)
    model.connect(hinge.frame_b, rod.frame_a)
    if motor:
        model.connect(model.add(fb.TorqueSource("motor", limit=50.0)).flange_b, hinge.axis)
    if disturbed:
        model.connect(rod.frame_b, model.add(fb.WorldForce("wind")).frame_a)
        model.connect(rod.frame_b, model.add(fb.WorldTorque("twist")).frame_a)
    return fb.assemble(model)


@pytest.mark.parametrize(
    "law",
    [
        control.LQR({"hinge.angle": 10.0, "der(hinge.angle)": 1.0}),
        control.ComputedTorque(kp=9.0, kd=6.0),
        control.Decoupling(("hinge.angle",), kp=9.0, kd=6.0),
        control.GravityCompensation() + control.PD(LOOP, kp=20.0, kd=5.0),
        control.Feedforward(),
    ],
    ids=["LQR", "ComputedTorque", "Decoupling", "GravityCompensation", "Feedforward"],
)
def test_by_default_a_law_drives_the_actuators(law):
    closed, plain = (control.close_loop(dae, law) for dae in (arm(), arm(disturbed=False)))
    assert closed.u.with_role("disturbance") == arm().u.names[1:]
    assert closed.x.names == plain.x.names
    # And commands what it commands of the arm without, whatever blows.
    x = np.array([0.4, -0.3])
    calm = np.zeros(len(closed.u))
    for name in plain.u.names:
        calm[closed.u.index(name)] = plain.u.start[plain.u.index(name)] + 0.1
    blown = calm.copy()
    blown[closed.u.index("wind.force_y")] = 7.0
    commands = [
        float(dae.output(x, u, [])[dae.y.index(MOTOR)])
        for dae, u in ((closed, calm), (closed, blown), (plain, plain.u.start + 0.1))
    ]
    assert commands == pytest.approx([commands[0]] * 3)


def test_an_arm_with_disturbances_alone_has_nothing_to_drive():
    with pytest.raises(ParameterError, match=r"disturbances .wind.force_x.*must have an actuator.*inputs=.*role='actu"):
        control.LQR({"hinge.angle": 1.0}).gain(arm(motor=False))


def test_a_law_drives_a_disturbance_that_it_names():
    dae = arm()
    point = fb.equilibrium(dae, x={"hinge.angle": 0.0})
    law = control.LQR({"hinge.angle": 10.0, "der(hinge.angle)": 1.0}, inputs=("wind.force_y",), at=point)
    closed = control.close_loop(dae, law)
    assert "wind.force_y" not in closed.u
    held = fb.linearize(closed, at={"hinge.angle": 0.0, MOTOR: point[MOTOR]})
    assert max(np.linalg.eigvals(held.A).real) < 0


def test_an_outer_law_drives_the_references_of_an_inner_loop():
    inner = control.close_loop(arm(), control.PD(LOOP, kp=20.0, kd=5.0))
    gain = control.LQR({"hinge.angle": 1.0, "der(hinge.angle)": 1.0}).gain(inner)
    assert gain.shape == (1, 2)  # the reference alone, whose rate follows from it


@pytest.mark.parametrize("sampled", [False, True])
def test_observers_do_not_feel_the_wind(sampled):
    """What an observer estimates under a wind is off by what an observer that knows the wind would not be."""
    dae = arm()
    point = fb.equilibrium(dae, x={"hinge.angle": 0.0})
    law = control.LQG(
        control.LQR({"hinge.angle": 40.0, "der(hinge.angle)": 1.0}, at=point),
        control.Kalman(("hinge.angle",), process={MOTOR: 1.0}, noise=1e-6, at=point),
    )
    closed = control.close_loop(dae, control.Sampled(law, 0.002) if sampled else law)
    x, u = closed.x.start.copy(), np.zeros(len(closed.u))
    estimates = [i for i, name in enumerate(closed.x.names) if name not in dae.x.names]
    u[closed.u.index("wind.force_y")] = 5.0
    if sampled:
        changes = [np.array(clock.change(x, [], each, [])).ravel() for clock in closed.clocks for each in (u, 0 * u)]
        assert not np.abs(changes[0] - changes[1])[estimates].any()
    else:
        rates = [np.array(closed.forward_dynamics(x, each, [])).ravel() for each in (u, 0 * u)]
        assert not np.abs(rates[0] - rates[1])[estimates].any()
        assert np.abs(rates[0] - rates[1]).max() > 1.0


def test_loops_keep_their_laws_when_inputs_are_left_out():
    from flexblocks.dae.with_inputs import with_inputs

    law = control.Sampled(control.PID(LOOP, kp=20.0, ki=5.0, kd=2.0), 0.01)
    closed = control.close_loop(arm(), law, disturbances=True)
    some = with_inputs(closed, closed.u.with_role("reference", "reference_rate"))
    assert some.u.names == ("reference.hinge.angle", "der(reference.hinge.angle)")
    u = {"reference.hinge.angle": 0.3, "der(reference.hinge.angle)": 0.0}
    times = np.linspace(0.0, 0.5, 11)
    runs = [fb.simulate(dae, times, u=u) for dae in (closed, some)]
    np.testing.assert_allclose(runs[1].x, runs[0].x, atol=1e-9)
    assert ca.DM(some.input_force(closed.x.start, [0.3, 0], [])).numel() == 1
