"""Margins, spillover and random parameters."""

from __future__ import annotations

import importlib
import itertools
import signal

import control as python_control
import numpy as np
import pytest
import scipy.stats

import flexblocks as fb
from arms.driven import INERTIA, rotor, two_masses
from arms.library import subudhi_morris
from flexblocks import control
from flexblocks.errors import ComputationError, FlexblocksWarning, NameUnknownError, ParameterError

monte_carlo_module = importlib.import_module("flexblocks.control.robustness.monte_carlo")
LOOP = {"wheel.angle": "motor.torque"}


def test_margins_of_a_pid_are_those_of_python_control():
    found = control.margins(rotor(), control.PID(LOOP, kp=2.0, ki=1.5, kd=0.3))["motor.torque"]
    L = python_control.tf([0.3, 2.0, 1.5], [INERTIA, 0, 0, 0])
    gain, phase, _, _, crossover, _ = python_control.stability_margins(L)
    assert found.gain == (pytest.approx(gain), np.inf)
    assert np.degrees(found.phase) == pytest.approx(phase)
    assert found.crossover == pytest.approx(crossover)
    assert found.delay == pytest.approx(np.radians(phase) / crossover)


def test_the_disk_margin_is_the_distance_on_a_fine_grid():
    found = control.margins(rotor(), control.PID(LOOP, kp=2.0, ki=1.5, kd=0.3))["motor.torque"]
    s = 1j * np.geomspace(1e-2, 1e3, 200001)
    L = (0.3 * s**2 + 2.0 * s + 1.5) / (INERTIA * s**3)
    assert found.disk == pytest.approx(1 / np.max(np.abs(1 / (1 + L) - 0.5)), rel=1e-6)


def test_the_regulator_has_its_guaranteed_margins():
    """Half the gain to any gain, 60 degrees, in each loop (Safonov & Athans 1977, R diagonal)."""
    dae = subudhi_morris(modes=1, joints="rigid")
    found = control.margins(dae, control.LQR({"joint1.angle": 10.0, "joint2.angle": 5.0, "elastic_energy": 1.0}))
    assert set(found) == {"motor1.torque", "motor2.torque"}
    for margin in found.values():
        assert margin.gain[0] <= 0.5
        assert margin.gain[1] == np.inf
        assert margin.phase >= np.radians(60) - 1e-9
        assert margin.disk >= 2 / 3 - 1e-6  # abs(S) <= 1, so abs(S - 1/2) <= 3/2


@pytest.mark.parametrize("side", [0.999, 1.001])
def test_the_delay_margin_is_where_a_delayed_loop_turns_unstable(side):
    """A Pade approximation of high order in place of the delay."""
    law = control.PID(LOOP, kp=2.0, ki=1.5, kd=0.3)
    margin = control.margins(rotor(), law)["motor.torque"].delay
    L = python_control.ss(python_control.tf([0.3, 2.0, 1.5], [INERTIA, 0, 0, 0]))
    late = python_control.ss(python_control.tf(*python_control.pade(side * margin, 8)))
    poles = python_control.feedback(L * late).poles()
    assert (np.max(poles.real) < 0) == (side < 1)


def test_an_unstable_loop_has_no_margins():
    with pytest.raises(ComputationError, match="not stable"):
        control.margins(rotor(), control.PID(LOOP, kp=1.0, ki=100.0, kd=0.1))


def test_a_one_mode_regulator_destabilizes_the_four_mode_arm_and_the_report_said_so():
    few, many = (subudhi_morris(links=1, modes=modes) for modes in (1, 4))
    law = control.LQR({"payload.y": 1000.0})
    report = control.spillover(law, few, many)
    assert np.max(report.design_poles.real) < 0
    assert not report.stable
    assert len(report.modes) == 3
    assert {mode.frequency for mode in report.warned} == {mode.frequency for mode in report.destabilized}
    assert len(report.destabilized) == 2
    for mode in report.modes:
        assert mode.expected.real == pytest.approx(mode.closed.real, rel=0.05)
    assert "expected to grow" in str(report)
    assert len(report.to_pandas()) == 3
    # Without the report: the law around the arm, as anybody would close it.
    lin = fb.linearize(control.close_loop(many, law.designed_on(few)))
    assert np.max(np.linalg.eigvals(lin.A).real) == pytest.approx(np.max(report.poles.real), rel=1e-6)


def flexible_link(modes, damping_ratio=0.0):
    model = fb.Model("flexible link")
    motor, hub, joint = (
        model.add(fb.TorqueSource("motor")),
        model.add(fb.Rotor("hub", inertia=0.02)),
        model.add(fb.Revolute("joint")),
    )
    link = model.add(
        fb.FlexibleBeam(
            "link",
            length=1.0,
            linear_density=0.5,
            flexural_rigidity=2.0,
            damping_ratio=damping_ratio,
            discretization=fb.AssumedModes(modes, tip="free"),
        )
    )
    model.connect(motor.flange_b, hub.flange_a)
    model.connect(hub.flange_b, joint.axis)
    model.connect(model.add(fb.Ground("ground")).frame_b, joint.frame_a)
    model.connect(joint.frame_b, link.frame_a)
    model.connect(link.frame_b, model.add(fb.Payload("payload", mass=0.1, inertia=1e-3)).frame_a)
    return fb.assemble(model)


def test_observation_spillover_of_lqg_and_what_damping_does_about_it():
    """Undamped, modes 3 and 4 grow; with 0.5 % of damping the loop gain through them is below 1, and they cannot."""
    kalman = control.Kalman(["joint.angle", "link.tip_deflection_y"], process={"motor.torque": 1e-2}, noise=1e-6)
    law = control.LQG(control.LQR({"joint.angle": 10.0, "elastic_energy": 10.0}), kalman)
    bare = control.spillover(law, flexible_link(1), flexible_link(4))
    assert len(bare.warned) == len(bare.destabilized) == 2
    assert all(mode.gain == np.inf for mode in bare.modes)
    damped = control.spillover(law, flexible_link(1, 0.005), flexible_link(4, 0.005))
    assert damped.stable
    assert not damped.warned
    assert [mode.gain < 1 for mode in damped.modes] == [False, True, True]


def test_random_parameters_give_the_poles_of_the_closed_form():
    dae = rotor(symbolic=("wheel.inertia",))
    closed = control.close_loop(dae, control.PD(LOOP, kp=2.0, kd=0.3))
    runs = control.monte_carlo(
        closed,
        {"wheel.inertia": (0.05, 0.2)},
        runs=20,
        simulation={"t": (0.0, 0.3), "u": {"reference.wheel.angle": 1.0}},
    )
    for run in range(20):
        J = float(runs["p[wheel.inertia]"][run])
        assert 0.05 <= J <= 0.2
        assert np.allclose(np.sort_complex(runs["pole"][run].values), np.sort_complex(np.roots([J, 0.3, 2.0])))
    assert runs["stable"].all()
    assert runs["wheel.angle"].sizes == {"run": 20, "time": 1001}
    one = fb.simulate(
        closed, (0.0, 0.3), {"reference.wheel.angle": 1.0}, p={"wheel.inertia": float(runs["p[wheel.inertia]"][3])}
    )
    assert np.allclose(runs["wheel.angle"][3], one["wheel.angle"], atol=1e-8)


def test_a_distribution_finds_what_is_unstable():
    """PD control of the load past a spring is stable for some stiffnesses only."""
    dae = two_masses(symbolic=("spring.stiffness",))
    closed = control.close_loop(dae, control.PD({"load.angle": "motor.torque"}, kp=20.0, kd=0.2))
    runs = control.monte_carlo(closed, {"spring.stiffness": scipy.stats.lognorm(0.8, scale=20.0)}, runs=60, seed=2)
    again = control.monte_carlo(closed, {"spring.stiffness": scipy.stats.lognorm(0.8, scale=20.0)}, runs=60, seed=2)
    assert np.array_equal(runs["growth"], again["growth"])
    assert 0 < int(runs["stable"].sum()) < 60
    for stable, k in zip(runs["stable"].values, runs["p[spring.stiffness]"].values, strict=True):
        # J1 J2 s^4 + (J1 + J2) (d s^3 + k s^2) + (d s + k) (kd s + kp)
        poles = np.roots([0.03, 0.4 * 0.05, 0.4 * k + 0.05 * 0.2, k * 0.2 + 0.05 * 20.0, k * 20.0])
        assert stable == (np.max(poles.real) < 0)


def test_control_c_keeps_the_poles_so_far(monkeypatch):
    closed = control.close_loop(rotor(symbolic=("wheel.inertia",)), control.PD(LOOP, kp=2.0, kd=0.3))
    over, before = {"wheel.inertia": (0.05, 0.2)}, signal.getsignal(signal.SIGINT)
    whole = control.monte_carlo(closed, over, 20)
    calls = itertools.count(1)

    def pressed_at(call):
        def at_rest(*arguments):
            if next(calls) == call:
                signal.raise_signal(signal.SIGINT)
            return fb.equilibrium(*arguments)

        return at_rest

    monkeypatch.setattr(monte_carlo_module, "equilibrium", pressed_at(7))
    # What Ctrl-C has come into may have been cut short by it.
    with pytest.warns(FlexblocksWarning, match="poles of the first 6 of 20 draws, and no motions"):
        part = control.monte_carlo(closed, over, 20, simulation={"t": (0.0, 0.1)})
    assert part.identical(whole.isel(run=slice(6)))
    assert signal.getsignal(signal.SIGINT) is before
    # Before the first there is nothing to keep.
    calls = itertools.count(1)

    def interrupted(*arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr(monte_carlo_module, "_draws", interrupted)
    with pytest.raises(KeyboardInterrupt):
        control.monte_carlo(closed, over, 20)


@pytest.mark.parametrize(
    ("p", "runs", "error"),
    [
        ({"wheel.mass": (1, 2)}, 5, NameUnknownError),
        ({"wheel.inertia": (2, 1)}, 5, ParameterError),
        ({"wheel.inertia": 1.0}, 5, ParameterError),
        ({}, 5, ParameterError),
        ({"wheel.inertia": (1, 2)}, 0, ParameterError),
    ],
)
def test_wrong_draws_are_refused(p, runs, error):
    closed = control.close_loop(rotor(symbolic=("wheel.inertia",)), control.PD(LOOP, kp=2.0, kd=0.3))
    with pytest.raises(error):
        control.monte_carlo(closed, p, runs)
