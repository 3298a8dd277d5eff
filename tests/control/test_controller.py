"""Controllers by themselves: what they measure, and that they do what the sampled loop does."""

from __future__ import annotations

import pickle
from dataclasses import dataclass

import numpy as np
import pytest

import flexblocks as fb
from arms.driven import rotor, two_masses, upright_arm
from flexblocks import control
from flexblocks.errors import ParameterError

LOOPS = {"joint1.angle": "motor1.torque", "joint2.angle": "motor2.torque"}
MOTORS = ("motor1.torque", "motor2.torque")


def test_a_controller_is_a_dae_that_runs_on_what_is_measured() -> None:
    """Fed with the rotor's motion in the sampled loop, it commands what it commands there, to the last digit."""
    law = control.Sampled(control.PID({"wheel.angle": "motor.torque"}, 2.0, 1.0, 0.3), 0.01, delay=0.015)
    t = 0.005 * np.arange(81)
    reference = {"reference.wheel.angle": fb.piecewise_constant(t[::2], np.sin(t[::2]))}
    loop = fb.simulate(control.close_loop(rotor(limit=0.2), law), t, u=reference)
    made = control.controller(law, rotor(limit=0.2), 0.01)
    assert made.dae.x.names == (
        "pid.integral[1]",
        "held.motor.torque",
        *(f"held.pending[{i}].motor.torque" for i in (1, 2)),
    )
    assert made.dae.u.names == (
        "wheel.angle", "der(wheel.angle)", "reference.wheel.angle", "der(reference.wheel.angle)",
    )  # fmt: skip
    told = {name: fb.piecewise_constant(t, loop[name]) for name in made.measured.names}
    rates = {"der(reference.wheel.angle)": 0.0}
    alone = fb.simulate(made.dae, t, u=told | reference | rates)
    assert np.abs(loop["motor.torque"]).max() == 0.2
    for name in (*made.states.names, "motor.torque"):
        assert np.array_equal(alone[name], loop[name]), name


def test_outputs_are_told_as_they_are_measured_and_not_computed() -> None:
    """An observer that measures the load receives its place, for which the arm's own equations say x = f(q)."""
    observer = control.Kalman([*LOOPS, "payload.x"], process=dict.fromkeys(MOTORS, 1e-2), noise=1e-6)
    lqr = control.LQR(dict.fromkeys(LOOPS, 10.0) | {"elastic_energy": 1.0})
    made = control.controller(control.LQG(lqr, observer), upright_arm(damping=0.01), 0.004)
    assert made.measured.names == (*LOOPS, "payload.x")
    assert made.measured.units == ("rad", "rad", "m")
    assert made.outputs.names == MOTORS


def test_the_rate_of_an_output_is_a_signal_of_its_own() -> None:
    arm = upright_arm(damping=0.01)
    made = control.controller(control.PD({"payload.y": "motor1.torque"}, 5.0, 1.0), arm, 0.002)
    assert made.measured.names == ("payload.y", "der(payload.y)")
    assert made.measured.units == ("m", "m/s")
    seen = arm.with_outputs("payload.velocity_y")
    x = np.linspace(0.1, 0.9, len(arm.x))
    y = dict(zip(seen.y.names, seen.output(x, [0, 0], []).full().ravel(), strict=True))
    found = made.measure()(x, [], [0, 0], []).full().ravel()
    assert found == pytest.approx([y["payload.y"], y["payload.velocity_y"]], rel=1e-13)


def test_the_motion_of_a_frame_is_measured_by_its_name() -> None:
    law = control.PD({"link1.station(0.25).x": "motor1.torque"}, 5.0)
    assert control.controller(law, upright_arm(), 0.002).measured.names == ("link1.station(0.25).x",)


def test_elastic_coordinates_are_measured_only_where_they_are_named() -> None:
    lqr, arm = control.LQR(dict.fromkeys(LOOPS, 10.0) | {"elastic_energy": 1.0}), upright_arm(damping=0.01)
    with pytest.raises(ParameterError, match=r"uses link1\.bending_y\[1\], .* which no sensor measures; .*an observer"):
        control.controller(lqr, arm, 0.004)
    assert control.controller(lqr, arm, 0.004, measured=arm.x.names).measured.names == arm.x.names
    with pytest.raises(ParameterError, match=r"uses der\(link2\.bending_y\[1\]\), which no sensor measures"):
        control.controller(lqr, arm, 0.004, measured=arm.x.names[:-1])


def test_an_observer_is_told_the_inputs_and_estimates() -> None:
    observer = control.Luenberger(["wheel.angle"], poles=[-20 + 5j, -20 - 5j, -30, -40])
    made = control.controller(observer, two_masses(), 0.005)
    assert made.measured.names == ("wheel.angle", "motor.torque")
    assert made.outputs.names == (
        "observed.wheel.angle", "observed.load.angle", "der(observed.wheel.angle)", "der(observed.load.angle)",
    )  # fmt: skip
    assert not made.is_law
    # On a run of the arm under a torque that changes from sample to sample, the estimates converge.
    t = 0.005 * np.arange(201)
    torque = fb.piecewise_constant(t, np.cos(7 * t))
    run = fb.simulate(two_masses(), t, u={"motor.torque": torque}, x0={"load.angle": 0.1})
    told = {"wheel.angle": fb.piecewise_constant(t, run["wheel.angle"]), "motor.torque": torque}
    alone = fb.simulate(made.dae, t, u=told)
    error = np.abs(alone["observed.load.angle"] - run["load.angle"])[:-1]
    assert error[0] > 1e-2
    assert error[-20:].max() < 1e-6


@dataclass(frozen=True)
class Own(control.Law):
    """A law of a user's own, which designs itself on the arm that it is bound to."""

    def bind(self, dae: fb.DAE, actuators: object) -> control.Bound:
        del actuators
        lin = fb.linearize(dae, outputs=("load.angle",))
        return control.Bound({"motor.torque": -float(lin.B.max()) * dae.x.symbol[dae.x.index("load.angle")]})


def test_a_law_of_a_users_own_may_linearize_the_arm_that_it_is_bound_to() -> None:
    assert control.controller(Own(), two_masses(), 0.01).measured.names == ("load.angle",)


def test_parameters_that_stay_open_are_those_of_the_controller() -> None:
    arm = rotor(symbolic=("wheel.inertia",))
    made = control.controller(control.ComputedTorque(100.0, 20.0), arm, 0.01)
    assert made.parameters.names == ("wheel.inertia",)
    told = {"wheel.angle": 0.0, "der(wheel.angle)": 0.0, "reference.wheel.angle": 1.0}
    for inertia in (0.1, 0.3):
        run = fb.simulate(made.dae, (0.0, 0.02), u=told, p={"wheel.inertia": inertia})
        assert run["motor.torque"][0] == pytest.approx(100.0 * inertia)
    plain = control.controller(control.PD({"wheel.angle": "motor.torque"}, 2.0), arm, 0.01)
    assert plain.parameters.names == ()


def test_a_controller_says_what_it_is() -> None:
    made = control.controller(control.PD({"wheel.angle": "motor.torque"}, 2.0), rotor(), 0.01)
    assert repr(made) == (
        "Controller('controller of rotor': every 0.01 s, measures wheel.angle; 1 references, 1 states; gives "
        "motor.torque)"
    )


def test_a_controller_pickles() -> None:
    made = control.controller(control.PD(LOOPS, 5.0, 0.5), upright_arm(), 0.002)
    again = pickle.loads(pickle.dumps(made))
    point = [0.1, 0.2], [], np.linspace(0, 1, 8), []
    changes = [one.clocks[0].change(*point).full() for one in (again, made)]
    assert np.array_equal(*changes)
    assert again.dae.clocks[0].change(*point).full() == pytest.approx(changes[0])
    assert again.dae.u.names == made.dae.u.names


@pytest.mark.parametrize("sample_time", [0.0, -1.0, np.inf])
def test_sample_times_that_are_none_are_refused(sample_time: float) -> None:
    observer = control.Luenberger(["wheel.angle"], poles=[-20, -25, -30, -40])
    for law in (observer, control.PD({"wheel.angle": "motor.torque"}, 1.0)):
        with pytest.raises(ParameterError, match="sample_time = "):
            control.controller(law, two_masses(), sample_time)
