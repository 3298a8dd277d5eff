"""Prescribed coordinates: the arm that is driven so, power of the drive, a shaken cantilever in closed form."""

from __future__ import annotations

from functools import cache

import casadi as ca
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.interpolate import CubicSpline
from typer.testing import CliRunner

import flexblocks as fb
from arms.random_arms import arms
from flexblocks import export, models
from flexblocks.cli.app import app
from flexblocks.dae.compiler import find_compiler
from flexblocks.errors import NameUnknownError, ParameterError

JOINT = ("joint1.angle",)


def output(dae: fb.DAE, name: str, x: np.ndarray, u: np.ndarray) -> float:
    return float(dae.output(x, u, [])[dae.y.index(name)])


def assert_partitioned(model: fb.Model, q: np.ndarray, v: np.ndarray, u: np.ndarray, moved: list[int]) -> None:
    """Partition of M a + h = Q by dense algebra: the prescribed rows give the drive, the others the motion."""
    free = fb.assemble(model)
    n = free.tree.size
    others = [i for i in range(n) if i not in moved]
    names = [free.q_names[i] for i in moved]
    a = np.zeros(n)
    a[moved] = np.random.default_rng(0).uniform(-3, 3, len(moved))
    M = free.mass_matrix(q, []).full()
    rest = (free.input_force(np.r_[q, v], u, []) - free.inverse_dynamics(q, v, 0 * v, [])).full().ravel()
    a[others] = np.linalg.solve(M[np.ix_(others, others)], rest[others] - M[np.ix_(others, moved)] @ a[moved])
    drives = M @ a - rest
    x, inputs = np.r_[q, v], np.r_[u, a[moved]]
    scale, force = np.abs(a).max(initial=1.0), np.abs(M @ a).max() + np.abs(rest).max(initial=1.0)
    for dynamics in ("recursive", "closed-form"):
        dae = fb.assemble(model, dynamics=dynamics, prescribed=names)
        assert dae.q_names == free.q_names
        there = dae.forward_dynamics(x, inputs, []).full().ravel()[n:]
        np.testing.assert_allclose(there, a, atol=1e-8 * scale)
    for prescription in dae.tree.prescribed:
        i = free.q_names.index(prescription.name)
        assert output(dae, prescription.effort[0], x, inputs) == pytest.approx(drives[i], abs=1e-8 * force)
    balance = dae.inverse_dynamics(q, v, a, []) - dae.input_force(x, inputs, [])
    np.testing.assert_allclose(balance.full().ravel(), 0.0, atol=1e-9 * force)
    # Energy: what the drives and the inputs bring in, less what is damped, which the free arm knows as well.
    power = []
    for each, at in ((free, u), (dae, inputs)):
        rates = each.motion(x, [], at, [])[0].full().ravel()
        energy = sum(each.energy.call([each.x.symbol, each.p.symbol], True, False))
        gradient = ca.Function("dE", [each.x.symbol], [ca.gradient(energy, each.x.symbol)])
        power.append(float(gradient(x).full().ravel() @ rates[:-1]) - rates[-1])
    magnitude = np.abs(drives[moved] @ v[moved]) + np.abs(rest @ v) + np.abs(a @ M @ v)
    assert power[1] == pytest.approx(power[0], abs=1e-9 * magnitude + 1e-12)


def test_prescribed_arm_moves_as_the_free_one_that_is_driven():
    rng = np.random.default_rng(3)
    model = models.subudhi_morris_2002(modes=2)
    q, v = 0.3 * rng.standard_normal((2, 8))
    # A joint, one that shares a body with modes, and a mode itself.
    assert_partitioned(model, q, v, np.array([0.1, -0.2]), [1, 4])


@pytest.mark.slow
@settings(max_examples=6)
@given(arms(links=3), st.data(), st.integers(0, 2**32 - 1))
def test_random_arms_with_prescribed_coordinates(arm, data, seed):
    free = fb.assemble(arm.model)
    moved = sorted(data.draw(st.sets(st.integers(0, free.tree.size - 1), min_size=1, max_size=3)))
    q, v, _, u = arm.random_state(free, seed)
    assert_partitioned(arm.model, q, v, u, moved)


@pytest.mark.parametrize("motion", ["function", "samples"])
def test_what_is_simulated_is_the_function_and_its_power_is_the_work(motion):
    times = np.linspace(0.0, 0.5, 41)
    function = {
        "function": lambda t: 0.1 + 0.3 * ca.sin(5 * t),
        "samples": 0.1 + 0.3 * np.sin(5 * times),
    }[motion]
    dae = fb.assemble(models.subudhi_morris_2002(modes=0), prescribed=JOINT)
    run = fb.simulate(dae, times, u={"joint1.angle": function, "motor2.torque": 0.05})
    np.testing.assert_allclose(run["joint1.angle"], 0.1 + 0.3 * np.sin(5 * times), atol=1e-8)
    np.testing.assert_allclose(
        run["der(joint1.angle)"], 1.5 * np.cos(5 * times), atol=1e-4 if motion != "function" else 1e-8
    )
    # Energy grows by the work of the drive and the motor, integrated with the motion.
    energy = run["kinetic_energy"] + run["potential_energy"]
    assert np.ptp(energy) > 1e-3
    np.testing.assert_allclose(energy - energy[0], run["work"], atol=1e-6)


@pytest.mark.slow
def test_driving_torque_is_the_torque_that_drives_the_free_arm():
    """Fed back into the arm without prescription, it makes the same motion."""
    model = models.subudhi_morris_2002(modes=1, joints="rigid")
    times = np.linspace(0.0, 0.1, 101)
    dae = fb.assemble(model, prescribed=JOINT)
    run = fb.simulate(dae, times, u={"joint1.angle": lambda t: 0.2 * (1 - ca.cos(20 * t))})
    free = fb.simulate(fb.assemble(model), times, u={"motor1.torque": CubicSpline(times, run["joint1.driving_torque"])})
    for name in ("joint1.angle", "joint2.angle", "link2.bending_y[1]"):
        np.testing.assert_allclose(free[name], run[name], atol=1e-7)


@cache
def shaker(modes: int, damping_ratio: float = 0.0) -> fb.DAE:
    """A cantilever upright on a table that moves sideways, without gravity."""
    model = fb.Model("shaker", gravity=(0.0, 0.0, 0.0))
    ground = model.add(fb.Ground("ground"))
    table = model.add(fb.Prismatic("table", axis=(0.0, 1.0, 0.0)))
    link = model.add(
        fb.FlexibleBeam(
            "beam",
            length=0.8,
            linear_density=0.5,
            flexural_rigidity=2.0,
            discretization=fb.AssumedModes(modes, tip="free"),
            bending="y",
        )
    )
    model.connect(ground.frame_b, table.frame_a)
    model.connect(table.frame_b, link.frame_a)
    return fb.assemble(model, prescribed="table.displacement")


def test_shaken_cantilever_has_the_transfer_function_of_the_euler_bernoulli_beam():
    """Base acceleration to tip deflection: harmonic solution of EI w'''' + m w_tt = -m a on a moving base.

    With b^4 = m omega^2 / EI, the absolute motion W(x) = cos/sin/cosh/sinh of b x, W(0) = -a / omega^2, W'(0) = 0,
    W''(l) = W'''(l) = 0.
    """
    length, m, EI = 0.8, 0.5, 2.0
    lin = fb.linearize(shaker(8), outputs="beam.tip_deflection_y")
    column = lin.inputs.index("table.prescribed_acceleration")
    first = (1.8751040687 / length) ** 2 * np.sqrt(EI / m)
    for omega in np.array([0.1, 0.6, 1.7, 4.0]) * first:
        b = (m * omega**2 / EI) ** 0.25
        c, s, C, S = np.cos(b * length), np.sin(b * length), np.cosh(b * length), np.sinh(b * length)
        # W = A cos + B sin + P cosh + R sinh.
        rows = [[1, 0, 1, 0], [0, 1, 0, 1], [-c, -s, C, S], [s, -c, S, C]]
        base = -1.0 / omega**2
        A, B, P, R = np.linalg.solve(rows, [base, 0, 0, 0])
        expected = A * c + B * s + P * C + R * S - base
        response = lin.C @ np.linalg.solve(1j * omega * np.eye(len(lin.A)) - lin.A, lin.B[:, column])
        assert response[0] == pytest.approx(expected, rel=2e-4)


def test_linear_model_statics_and_modes():
    dae = fb.assemble(models.subudhi_morris_2002(modes=1), prescribed=JOINT)
    point = fb.equilibrium(dae, x={"joint1.angle": 0.4, "joint2.angle": 0.2})
    assert point["joint1.angle"] == 0.4
    assert point["joint1.prescribed_acceleration"] == pytest.approx(0.0)
    lin = fb.linearize(dae, at=point, outputs=("payload.x", "joint1.driving_torque"))
    assert lin.check(dae).largest < 1e-6
    # The natural frequencies are those of the arm with the joint locked.
    braked = fb.assemble(models.subudhi_morris_2002(modes=1), locked={"joint1.angle": 0.4})
    locked = fb.linearize(braked, fb.equilibrium(braked, x={"joint2.angle": 0.2}))
    frequencies = [[mode.frequency for mode in each.modes() if mode.frequency > 1] for each in (lin, locked)]
    np.testing.assert_allclose(*frequencies, rtol=1e-9)
    descriptor = fb.linearize(dae, at=point, form="descriptor")
    np.testing.assert_allclose(descriptor.minimal().A, lin.A, atol=1e-6)


def test_moving_base_in_space():
    """A free body whose frame is shaken and turned: weight and inertia of a point mass on a rigid arm."""
    model = fb.Model("rig", gravity=(0.0, 0.0, -9.81))
    ground, base = model.add(fb.Ground("ground")), model.add(fb.FreeMotion("base"))
    link = model.add(fb.RigidLink("arm", length=0.5, mass=1e-9, inertia=1e-12 * np.eye(3)))
    mass = model.add(fb.LumpedMass("mass", mass=2.0))
    model.connect(ground.frame_b, base.frame_a)
    model.connect(base.frame_b, link.frame_a)
    model.connect(link.frame_b, mass.frame_a)
    names = [f"base.{kind}_{axis}" for kind in ("displacement", "rotation") for axis in "xyz"]
    dae = fb.assemble(model, prescribed=names)
    times = np.linspace(0.0, 1.0, 11)
    shake = {"base.displacement_z": lambda t: 0.1 * ca.sin(3 * t), "base.displacement_x": lambda t: 0.2 * t**2}
    run = fb.simulate(dae, times, u=shake)
    np.testing.assert_allclose(
        run["base.driving_force_displacement_z"], 2 * (9.81 - 0.9 * np.sin(3 * times)), rtol=1e-7
    )
    np.testing.assert_allclose(run["base.driving_force_displacement_x"], 0.8, rtol=1e-7)
    np.testing.assert_allclose(
        run["base.driving_torque_rotation_y"], -0.5 * run["base.driving_force_displacement_z"], rtol=1e-7
    )


@pytest.mark.slow
def test_fmu_and_command_line(tmp_path):
    """FMPy integrates the same motion from the acceleration and the start values."""
    fmpy = pytest.importorskip("fmpy")
    if find_compiler() is None:
        pytest.skip("there is no C compiler")
    dae, times = fb.assemble(models.subudhi_morris_2002(modes=0), prescribed=JOINT), np.linspace(0.0, 0.5, 51)
    start = {"der(joint1.angle)": -0.5}
    here = fb.simulate(dae, times, u={"joint1.prescribed_acceleration": 2.0}, x0=start)
    path = export.fmu(dae, tmp_path / "arm.fmu", kind="CoSimulation")
    names = ("joint1.angle", "joint2.angle", "joint1.driving_torque")
    there = fmpy.simulate_fmu(
        str(path),
        stop_time=0.5,
        output_interval=0.01,
        start_values=start | {"joint1.prescribed_acceleration": 2.0},
        output=names,
        relative_tolerance=1e-11,
    )
    np.testing.assert_allclose(here["joint1.angle"], -0.5 * times + times**2, atol=1e-9)
    for name in names:
        np.testing.assert_allclose(there[name], here[name], atol=1e-7)
    out = tmp_path / "run.csv"
    arguments = [
        "simulate",
        "subudhi-morris-2002",
        "--prescribe",
        "joint1.angle",
        "--input",
        "joint1.angle=sine:0.1,12.5",
    ]
    result = CliRunner().invoke(app, [*arguments, "--time", "0.2", "--outputs", "payload.yaw", "--out", str(out)])
    assert result.exit_code == 0, result.output
    run = fb.load(out)
    np.testing.assert_allclose(run["joint1.angle"], 0.1 * np.sin(12.5 * run.t), atol=1e-8)
    assert "payload.yaw" in run


def test_refused_by_name():
    model = models.subudhi_morris_2002(modes=0)
    with pytest.raises(NameUnknownError, match=r"prescribed: .*'joint1.angel'.*Did you mean joint1.angle"):
        fb.assemble(model, prescribed="joint1.angel")
    with pytest.raises(NameUnknownError, match=r"no free coordinate 'joint1.angle'"):
        fb.assemble(model, locked={"joint1.angle": 0.1}, prescribed=JOINT)
    with pytest.raises(ParameterError, match=r"takes names\. Give the motions to what moves the arm"):
        fb.assemble(models.subudhi_morris_2002(modes=1), prescribed={"joint1.angle": ca.sin})
    with pytest.raises(ParameterError, match=r"joint1.angle twice"):
        fb.assemble(model, prescribed=JOINT * 2)
    dae = fb.assemble(model, prescribed=JOINT)
    for value, message in (
        (fb.piecewise_linear([0.0, 0.5, 1.0], [0.0, 0.0, 1.0]), "kink.* t = 0.5 s"),
        (fb.piecewise_constant([0.0, 0.5], [0.0, 1.0]), "jumps at t = 0.5 s"),
        (lambda t: ca.fabs(t - 0.4), "kink.* t = 0.4 s"),
        (lambda t: float(np.sin(float(t))), "no derivative;"),
    ):
        with pytest.raises(ParameterError, match=f"joint1.angle: .*{message}"):
            fb.simulate(dae, (0.0, 1.0), u={"joint1.angle": value})
    with pytest.raises(ParameterError, match=r"x0: joint1.angle = 1, but its prescribed motion starts at 0"):
        fb.simulate(dae, (0.0, 1.0), u={"joint1.angle": lambda t: t**2}, x0={"joint1.angle": 1.0})
    with pytest.raises(ParameterError, match=r"both joint1.angle and joint1.prescribed_acceleration"):
        fb.simulate(dae, (0.0, 1.0), u={"joint1.angle": 0.0, "joint1.prescribed_acceleration": 1.0})
