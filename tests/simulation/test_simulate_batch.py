"""Batches of simulations against single ones, closed forms and each other."""

import contextlib
import math
from dataclasses import dataclass

import numpy as np
import pytest
import xarray as xr
from scipy.special import ellipj, ellipk

import flexblocks as fb
from arms.one_link import DCMotor, HardeningSpring, joint_arm
from flexblocks.errors import FlexblocksError, FlexblocksWarning, NameUnknownError, ParameterError
from flexblocks.interfaces.block_variables import GUEST, Coordinate
from flexblocks.interfaces.physics import Load, Physics
from flexblocks.interfaces.ports import flange
from flexblocks.simulation.trajectory import Trajectory
from terminal import ImpatientTerminal

G, LENGTH = 9.81, 0.5
TIMES = np.linspace(0.0, 0.4, 81)
# Where a run is cut into chunks depends on the clock; tight tolerances keep that out of comparisons.
TIGHT = {"rtol": 1e-11, "atol": 1e-13}


def pendulum(*drive, symbolic=()):
    bob = fb.Payload("bob", mass=1.3)
    return fb.assemble(joint_arm(beam=fb.RigidLink("rod", length=LENGTH), payload=bob, drive=drive), symbolic)


@pytest.fixture(scope="module")
def arm():
    beam = fb.FlexibleBeam(
        "link",
        length=0.5,
        linear_density=0.2,
        flexural_rigidity=1.0,
        discretization=fb.AssumedModes(2, tip="free"),
        bending="y",
    )
    model = joint_arm(beam=beam, payload=fb.Payload("payload", mass=0.1), drive=(fb.TorqueSource("motor"),))
    return fb.assemble(model, symbolic=("payload.mass",))


@pytest.fixture(scope="module")
def algebraic():
    """A motor with a current, and a spring whose torque is an algebraic variable."""
    link = fb.RigidLink("link", length=0.5, mass=0.3)
    return fb.assemble(joint_arm(beam=link, drive=(DCMotor("motor"), HardeningSpring("spring"))))


def check(runs, run, single):
    """Compare with a single run, to the last digit: neither threads nor clocks have a say in it."""
    for group in ("x", "z", "u", "y", "energy"):
        for name in single.names[group]:
            np.testing.assert_array_equal(runs[name].values[run], single[name], err_msg=name)
            assert runs[name].attrs == {"units": single.unit(name), "group": group}


def test_pendulums_against_elliptic_functions():
    amplitudes = [0.1, 1.0, 2.5]
    starts = [amplitude - math.pi / 2 for amplitude in amplitudes]
    runs = fb.simulate_batch(pendulum(), (0.0, 3.0), x0={"joint.angle": starts}, **TIGHT)
    assert runs["joint.angle"].dims == ("run", "time")
    for run, amplitude in enumerate(amplitudes):
        k = math.sin(amplitude / 2)
        sn = ellipj(ellipk(k**2) - math.sqrt(G / LENGTH) * runs["time"].values, k**2)[0]
        np.testing.assert_allclose(runs["joint.angle"][run], 2 * np.arcsin(k * sn) - math.pi / 2, atol=1e-8)


@pytest.mark.parametrize("threads", [1, 3])
def test_each_run_equals_a_single_one(arm, threads):
    """Pulses that end between output times, functions and numbers, with start values and parameters of their own."""
    signals = [
        fb.bang_bang(0.2, 0.0813),
        lambda t: 0.1 * np.cos(30 * t),
        0.05,
        fb.bang_bang(-0.1, 0.1377),
        (np.array([0.0, 0.111, 0.4]), np.array([0.0, 0.2, -0.1])),
    ]
    angles, masses = [0.0, -0.4, 0.3, 0.0, 1.0], np.linspace(0.05, 0.5, 5)
    runs = fb.simulate_batch(
        arm,
        TIMES,
        {"motor.torque": signals},
        {"joint.angle": angles},
        {"payload.mass": masses},
        threads=threads,
        **TIGHT,
    )
    for run in range(5):
        given = {"motor.torque": signals[run]}, {"joint.angle": angles[run]}, {"payload.mass": masses[run]}
        single = fb.simulate(arm, TIMES, *given, **TIGHT)
        check(runs, run, single)
    np.testing.assert_array_equal(runs["u[motor.torque]"], range(5))
    np.testing.assert_array_equal(runs["x0[joint.angle]"], angles)
    np.testing.assert_array_equal(runs["p[payload.mass]"], masses)
    assert runs["p[payload.mass]"].attrs == {"units": "kg"}
    assert runs["complete"].values.all()


@pytest.mark.parametrize("method", ["auto", "bdf", "rk4", "dop853"])
def test_algebraic_variables_and_methods(algebraic, method):
    options = {"method": method, "step": 1e-3 if method == "rk4" else None, **TIGHT}
    volts = [1.0, -2.0, 3.0, 0.5]
    runs = fb.simulate_batch(algebraic, TIMES, {"motor.voltage": volts}, threads=3, **options)
    np.testing.assert_array_equal(runs["u[motor.voltage]"], volts)
    for run, voltage in enumerate(volts):
        check(runs, run, fb.simulate(algebraic, TIMES, {"motor.voltage": voltage}, **options))


def test_functions_that_take_numbers_only(arm):
    def sine(frequency):
        return lambda t: 0.1 * math.sin(frequency * t)

    runs = fb.simulate_batch(arm, TIMES[:21], {"motor.torque": [sine(10.0), sine(20.0)]}, threads=4, **TIGHT)
    for run, frequency in enumerate((10.0, 20.0)):
        check(runs, run, fb.simulate(arm, TIMES[:21], {"motor.torque": sine(frequency)}, **TIGHT))


def test_an_error_of_the_users_function_comes_through(arm):
    def broken(t):
        if 0.05 < t < 0.051:
            raise ZeroDivisionError("mine")
        return 0.0 * math.sin(t)

    with pytest.raises(ZeroDivisionError, match="mine"):
        fb.simulate_batch(arm, TIMES, {"motor.torque": [fb.Signal(broken, breakpoints=[]), 0.0]})


def test_product_and_dataset(arm, tmp_path):
    runs = fb.simulate_batch(
        arm,
        TIMES,
        {"motor.torque": 0.1},
        {"joint.angle": (0.0, 0.5)},
        {"payload.mass": [0.1, 0.2, 0.3]},
        product=True,
        **TIGHT,
    )
    np.testing.assert_array_equal(runs["x0[joint.angle]"], [0, 0, 0, 0.5, 0.5, 0.5])
    np.testing.assert_array_equal(runs["p[payload.mass]"], [0.1, 0.2, 0.3] * 2)
    grid = runs.set_index(run=["x0[joint.angle]", "p[payload.mass]"]).unstack("run")
    single = fb.simulate(arm, TIMES, {"motor.torque": 0.1}, {"joint.angle": 0.5}, {"payload.mass": 0.2}, **TIGHT)
    one = grid["payload.y"].sel({"x0[joint.angle]": 0.5, "p[payload.mass]": 0.2})
    np.testing.assert_allclose(one, single["payload.y"], atol=1e-8)
    runs.to_netcdf(tmp_path / "runs.nc")
    with xr.open_dataset(tmp_path / "runs.nc", decode_times=False) as back:
        xr.testing.assert_identical(back.load(), runs)
    trajectory = Trajectory.from_xarray(runs.isel(run=4))
    assert trajectory.names == single.names
    np.testing.assert_allclose(trajectory.x, single.x, atol=1e-6 * np.abs(single.x).max())


def test_matrices_of_start_values(arm):
    X = np.zeros((2, len(arm.x)))
    X[:, 0] = 0.1, -0.2
    runs = fb.simulate_batch(arm, TIMES, x0=X, p=[0.3], **TIGHT)
    check(runs, 1, fb.simulate(arm, TIMES, x0=X[1], p=[0.3], **TIGHT))
    np.testing.assert_array_equal(runs["x0[joint.angle]"], X[:, 0])
    assert runs.attrs["parameters"] == '{"payload.mass": 0.3}'


@dataclass(frozen=True)
class Blast(fb.Block):
    """A torque angle'^3: from a rate w it grows beyond all bounds after J / (2 w^2)."""

    ports = (flange("flange_b"),)

    def coordinates(self):
        return (Coordinate("angle", "rad", rank=GUEST),)

    def flanges(self):
        return {"flange_b": ("angle", 1.0)}

    def physics(self, frame, local):
        return Physics(loads=(Load(local.rate(local["angle"]) ** 3, local["angle"]),))


def test_runs_that_fail_are_nan_from_there_on():
    """A flywheel J = 1 under a torque w^3: w = w0 / sqrt(1 - 2 w0^2 t)."""
    model = fb.Model("flywheel")
    rotor, blast = model.add(fb.Rotor("rotor", inertia=1.0)), model.add(Blast("blast"))
    model.connect(blast.flange_b, rotor.flange_a)
    model.add(fb.Ground("ground"))
    dae = fb.assemble(model)
    rates = np.array([0.5, 1.5, 0.8, 2.0])
    with pytest.warns(FlexblocksWarning, match="2 of 4 runs stopped") as caught:
        runs = fb.simulate_batch(dae, np.linspace(0, 0.5, 101), x0={"der(rotor.angle)": rates}, threads=2)
    text = str(caught[0].message)
    assert "run 1 at t = 0.2222" in text
    assert "run 3 at t = 0.12" in text
    np.testing.assert_array_equal(runs["complete"], [True, False, True, False])
    assert runs.attrs["complete"] == 0
    time = runs["time"].values
    for run, w in enumerate(rates):
        before = time < 0.99 / (2 * w**2)
        got = runs["der(rotor.angle)"].values[run]
        np.testing.assert_allclose(got[before], w / np.sqrt(1 - 2 * w**2 * time[before]), rtol=1e-6)
        assert np.isnan(got[time > 1 / (2 * w**2)]).all()


@pytest.mark.parametrize("threads", [1, 2])
def test_control_c_keeps_the_runs_that_are_finished(arm, threads, monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "200")
    terminal = ImpatientTerminal(r"([3-9]|\d\d+) of 500 runs")
    with contextlib.redirect_stderr(terminal), pytest.warns(FlexblocksWarning, match="was interrupted"):
        runs = fb.simulate_batch(arm, TIMES, {"motor.torque": [0.1] * 500}, threads=threads, progress=True)
    complete = runs["complete"].values
    assert int(terminal.seen[1]) <= complete.sum() < 500
    angles = runs["joint.angle"].values
    assert np.isfinite(angles[complete]).all()
    assert np.isnan(angles[~complete]).any(axis=1).all()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({}, "nothing differs"),
        (
            {"u": {"motor.torque": [1.0, 2.0]}, "x0": {"joint.angle": [1.0]}},
            r"u\[motor.torque\]: 2, x0\[joint.angle\]: 1",
        ),
        ({"u": {"motor.torque": []}}, "is empty"),
        ({"u": {"motor.torque": np.array([1.0, 2.0])}}, "over time or over the runs"),
        ({"u": {"motor.torque": [0.0, math.nan]}}, "simulate_batch: run 1: input motor.torque"),
        ({"u": [1.0]}, "must be a dict"),
        ({"x0": {"joint.angle": [0.0, math.inf]}}, "run 1: x0: joint.angle = inf"),
        ({"x0": np.zeros((2, 3))}, r"of shape \(2, 3\); must be \(6,\) or \(runs, 6\)"),
        ({"p": {"payload.mass": [0.1, "heavy"]}}, "run 1: p: payload.mass = 'heavy'"),
        ({"p": {"payload.mass": [0.1]}, "threads": 0}, "threads = 0; must be a whole number >= 1"),
        ({"p": {"payload.mass": [0.1]}, "method": "euler"}, "simulate_batch: method = 'euler'"),
    ],
)
def test_bad_arguments_are_refused(arm, arguments, words):
    with pytest.raises(ParameterError, match=words):
        fb.simulate_batch(arm, TIMES, **arguments)


def test_unknown_names_are_refused(arm):
    for argument, name, near in (
        ("u", "motor.torq", "motor.torque"),
        ("x0", "joint.angel", "joint.angle"),
        ("p", "payload.mas", "payload.mass"),
    ):
        with pytest.raises(NameUnknownError, match=f"Did you mean {near}") as caught:
            fb.simulate_batch(arm, TIMES, **{argument: {name: [1.0, 2.0]}})
        assert isinstance(caught.value, FlexblocksError)
