"""A carriage that slides along a flexible beam: closed forms, independent equations of moving masses, laws."""

from __future__ import annotations

import math
from functools import cache

import casadi as ca
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import solve_ivp

import flexblocks as fb
from arms.random_arms import arms
from flexblocks import export, optim
from flexblocks.dae.compiler import find_compiler
from flexblocks.errors import ParameterError
from flexblocks.plot.animation.loads import beam_loads

LENGTH, DENSITY, RIGIDITY, SPEED, G = 6.0, 12.0, 4e5, 5.0, 9.81
MODES = 3
IN_PLANE = (fb.AssumedModes(2, tip="free"), fb.FiniteElements(3), fb.StrainModes(3), fb.Rigid())


def bridge(discretization, car, gravity=G):
    """A track on two supports, of which one rolls."""
    model = fb.Model("bridge", (0.0, -gravity, 0.0))
    ground, hinge, end = model.add(fb.Ground("ground")), model.add(fb.Revolute("hinge")), model.add(fb.Revolute("end"))
    beam = model.add(fb.Track("beam", LENGTH, DENSITY, RIGIDITY, discretization, bending="y", start=0.0))
    foot, roller = model.add(fb.FixedTransform("foot", (LENGTH, 0, 0))), model.add(fb.Prismatic("roller", (1, 0, 0)))
    model.add(car)
    model.connect(ground.frame_b, hinge.frame_a, foot.frame_a)
    model.connect(hinge.frame_b, beam.frame_a)
    model.connect(beam.carriage, car.frame_a)
    model.connect(foot.frame_b, roller.frame_a)
    model.connect(roller.frame_b, end.frame_a)
    model.connect(end.frame_b, beam.frame_b)
    return model


def sines(x, order=0):
    k = np.arange(1, MODES + 1) * np.pi / LENGTH
    return np.sin(k * x + order * np.pi / 2) * k**order


def moving_mass(mass, times):
    """Return the deflection under a mass that crosses a pinned beam, by equations of its sine modes.

    The mass feels v_tt + 2 v_xt V + v_xx V^2 (Fryba 1999, chapter 8).
    """
    k = np.arange(1, MODES + 1) * np.pi / LENGTH
    own, stiffness = DENSITY * LENGTH / 2 * np.eye(MODES), np.diag(RIGIDITY * k**4 * LENGTH / 2)
    weight = DENSITY * G * (1 - np.cos(k * LENGTH)) / k

    def rates(t, state):
        q, v = np.split(state, 2)
        phi, slope, curvature = (sines(SPEED * t, order) for order in range(3))
        felt = 2 * SPEED * slope @ v + SPEED**2 * curvature @ q
        force = -weight - stiffness @ q - mass * (G + felt) * phi
        return np.concatenate([v, np.linalg.solve(own + mass * np.outer(phi, phi), force)])

    run = solve_ivp(rates, (0.0, times[-1]), np.zeros(2 * MODES), t_eval=times, method="DOP853", rtol=1e-10, atol=1e-13)
    return np.array([sines(SPEED * t) @ run.y[:MODES, i] for i, t in enumerate(times)])


@pytest.mark.parametrize(
    ("discretization", "within"),
    [
        (fb.AssumedModes(MODES, tip="pinned"), 1e-7),
        pytest.param(fb.FiniteElements(3), 0.02, marks=pytest.mark.slow),
        pytest.param(fb.StrainModes(4), 0.02, marks=pytest.mark.slow),
    ],
    ids=repr,
)
def test_a_mass_crosses_a_bridge(discretization, within):
    """By the same modes the equations of the literature; by others what the modes leave out."""
    times = np.linspace(0.0, 0.999 * LENGTH / SPEED, 13)
    dae = fb.assemble(bridge(discretization, fb.LumpedMass("car", mass=30.0)), prescribed=("beam.position",))
    run = fb.simulate(dae, times, u={"beam.position": lambda t: SPEED * t}, rtol=1e-8)
    expected = moving_mass(30.0, times)
    np.testing.assert_allclose(run["car.y"], expected, atol=within * np.abs(expected).max())


def test_a_force_crosses_a_bridge():
    """The closed form of a moving force (Fryba 1999, eq 1.31), mode by mode."""
    load, times = 500.0, np.linspace(0.0, LENGTH / SPEED, 13)
    model = bridge(fb.AssumedModes(MODES, tip="pinned"), fb.WorldForce("car"), gravity=0.0)
    probe = model.add(fb.Payload("probe", mass=0.0))
    model.connect("beam.carriage", probe.frame_a)
    dae = fb.assemble(model, prescribed=("beam.position",))
    run = fb.simulate(dae, times, u={"beam.position": lambda t: SPEED * t, "car.force_y": -load})
    j = np.arange(1, MODES + 1)
    omega, drive = (j * np.pi / LENGTH) ** 2 * math.sqrt(RIGIDITY / DENSITY), j * np.pi * SPEED / LENGTH
    share = 2 * load / (DENSITY * LENGTH) / (omega**2 - drive**2)
    q = share * (np.sin(np.outer(times, drive)) - drive / omega * np.sin(np.outer(times, omega)))
    expected = -np.array([sines(SPEED * t) @ each for t, each in zip(times, q, strict=True)])
    np.testing.assert_allclose(run["probe.y"], expected, atol=1e-6 * np.abs(expected).max())


def boom(discretization, car=None, density=0.5, **options):
    """A cantilever of 2 m with a carriage and its drive."""
    model = fb.Model("boom", (0.0, -G, 0.0))
    ground, drive = model.add(fb.Ground("ground")), model.add(fb.ForceSource("drive"))
    car = car or fb.LumpedMass("car", mass=2.0)
    track = model.add(fb.Track("track", 2.0, density, 3e3, discretization, **({"bending": "y"} | options)))
    model.add(car)
    model.connect(ground.frame_b, track.frame_a)
    model.connect(track.carriage, car.frame_a)
    model.connect(drive.flange_b, track.axis)
    return model


@pytest.mark.parametrize("place", [1.0, pytest.param(0.4, marks=pytest.mark.slow)])
def test_a_load_stands_on_a_cantilever(place):
    """It sinks by P a^3/(3 EI), and rolls off with P sin of the slope P a^2/(2 EI) unless it is held."""
    model = boom(fb.StrainModes(3, breaks=(place / 2.0,)), density=1e-4, internal_forces=(0.0,))
    dae = fb.assemble(model, locked={"track.position": place})
    at = fb.equilibrium(dae)
    P = 2.0 * G
    assert at["car.y"] == pytest.approx(-P * place**3 / (3 * 3e3), rel=2e-3)
    slope = P * place**2 / (2 * 3e3)
    assert abs(at["track.holding_force_position"]) == pytest.approx(P * math.sin(slope), rel=1e-3)
    assert at["track.root_moment_y"] == pytest.approx(-P * at["car.x"], abs=3e-3)
    # Free to roll, the drive has to give as much.
    free = fb.assemble(model)
    held = fb.equilibrium(free, x={"track.position": place})
    assert held["drive.force"] == pytest.approx(-P * math.sin(slope), rel=1e-3)


@pytest.mark.parametrize("discretization", IN_PLANE, ids=repr)
def test_the_carriage_is_where_a_station_is(discretization):
    """Pose of the carriage, and of a payload at the station there; across the ends of elements as well."""
    places = (0.3, 2.0 / 3.0, 1.1, 1.999)
    model = boom(discretization, fb.Payload("car", mass=1.0))
    for k, place in enumerate(places):
        payload = model.add(fb.Payload(f"at{k}", mass=0.1))
        model.connect(model.blocks["track"].station(place), payload.frame_a)
    compare_poses(fb.assemble(model), places)


def compare_poses(dae, places):
    rng = np.random.default_rng(0)
    x = np.concatenate([rng.uniform(-0.2, 0.2, dae.tree.size), rng.uniform(-1, 1, dae.tree.size)])
    here, rate = dae.q_names.index("track.position"), dae.tree.size + dae.q_names.index("track.position")
    asked = ("velocity_x", "velocity_y", "velocity_z", "angular_velocity_x", "angular_velocity_y", "angular_velocity_z")
    names = [f"{{}}.{name}" for name in ("x", "y", "z", *asked)]
    frames = ("car", *(f"at{k}" for k in range(len(places))))
    outputs = dae.with_outputs([name.format(each) for each in frames for name in names])
    for k, place in enumerate(places):
        x[here], x[rate] = place, 0.0
        y = outputs.output(x, np.zeros(len(dae.u)), []).full().ravel()
        of = [[y[outputs.y.index(name.format(each))] for name in names] for each in ("car", f"at{k}")]
        np.testing.assert_allclose(of[0], of[1], atol=1e-9)


@pytest.mark.parametrize(
    "discretization",
    [
        fb.FiniteElements(2),
        fb.StrainModes(2),
        pytest.param(IN_PLANE[0], marks=pytest.mark.slow),
    ],
    ids=repr,
)
def test_energy_is_conserved_in_space(discretization):
    """At random states dE/dt is the power of the drive; and the carriage is where the station is."""
    model = boom(
        discretization,
        fb.Payload("car", mass=1.5, inertia=np.diag([0.02, 0.03, 0.04]), center=(0.1, -0.2, 0.05)),
        bending="yz",
        torsion=True,
        torsional_rigidity=50.0,
        polar_inertia=0.01,
        internal_forces=(0.5,),
    )
    station = model.add(fb.Payload("at0", mass=0.3))
    model.connect(model.blocks["track"].station(0.7), station.frame_a)
    dae = fb.assemble(model)
    n = dae.tree.size
    x, p = dae.x.symbol, dae.p.symbol
    total = sum(dae.energy(x, p)[:2])
    slope = ca.Function("slope", [x], [ca.gradient(total, x)])
    rng = np.random.default_rng(1)
    here = dae.q_names.index("track.position")
    for _ in range(3):
        at = np.concatenate([rng.uniform(-0.2, 0.2, n), rng.uniform(-1.0, 1.0, n)])
        at[here] = rng.uniform(0.1, 1.9)
        rates = dae.forward_dynamics(at, [3.0], []).full().ravel()
        lost = float(slope(at).full().ravel() @ rates) - 3.0 * at[n + here]
        assert abs(lost) < 1e-8 * np.abs(slope(at).full().ravel() * rates).max()
    compare_poses(dae, (0.7,))


def test_a_carriage_rolls_down_a_rigid_slope():
    model = fb.Model("slope", (0.0, -G, 0.0))
    ground, tilt = model.add(fb.Ground("ground")), model.add(fb.FixedTransform("tilt", rotation=(0.0, 0.0, 0.3)))
    track = model.add(fb.Track("track", 2.0, 0.5, 1.0, fb.Rigid(), start=1.9, damping=0.0))
    car = model.add(fb.LumpedMass("car", mass=3.0))
    model.connect(ground.frame_b, tilt.frame_a)
    model.connect(tilt.frame_b, track.frame_a)
    model.connect(track.carriage, car.frame_a)
    run = fb.simulate(fb.assemble(model), (0.0, 0.5))
    np.testing.assert_allclose(run["track.position"], 1.9 - G * math.sin(0.3) * run.t**2 / 2, atol=1e-9)


def test_forces_inside_jump_at_the_carriage():
    """Beside the carriage the bending moment is that of the load beyond the cut, or none."""
    P = 2.0 * G
    model = boom(fb.FiniteElements(4), density=1e-4, internal_forces=(0.5, 1.5))
    at = fb.equilibrium(fb.assemble(model, locked={"track.position": 1.0}))
    assert at["track.station(0.5).moment_y"] == pytest.approx(-P * 0.5, rel=2e-3)
    assert at["track.station(0.5).shear_y"] == pytest.approx(-P, rel=1e-3)
    assert at["track.station(1.5).moment_y"] == pytest.approx(0.0, abs=1e-3)


@cache
def driven():
    return fb.assemble(boom(fb.AssumedModes(1, tip="free"), start=0.5))


def test_plans_drive_the_carriage():
    dae = driven()
    problem = optim.RestToRest({"track.position": 0.5}, {"track.position": 1.5}, 1.5)
    plan = optim.plan(dae, problem, intervals=20)
    replay = plan.replay()
    assert replay.trajectory["track.position"][-1] == pytest.approx(1.5, abs=1e-3)


def test_animations_color_the_track_by_its_moment():
    """At rest under the load at 1 m the root carries P a, and nothing is left beyond the carriage."""
    dae = fb.assemble(boom(fb.FiniteElements(2), density=1e-4), locked={"track.position": 1.0})
    at = fb.equilibrium(dae)
    loads = beam_loads(dae, at.x[None], at.z[None], at.u[None], at.p)["track"]
    expected = 2.0 * G * np.maximum(1.0 - 2.0 * loads.xi, 0.0)
    np.testing.assert_allclose(loads.moment[0], expected, atol=0.02)


def test_a_carriage_stays_on_its_track():
    """A motion that runs off the end stops with a word."""
    with pytest.raises(fb.SimulationError, match=r"track\.position"):
        fb.simulate(driven(), (0.0, 3.0), u={"drive.force": 20.0})


def test_refusals():
    with pytest.raises(ParameterError, match="its axis has kinks"):
        boom(fb.RigidSegments(4))
    with pytest.raises(ParameterError, match="with shear; its axis has kinks"):
        boom(fb.FiniteElements(2), shear=True, shear_rigidity=1e3)
    with pytest.raises(ParameterError, match=r"start = 3 m, high = 2 m; must be in this order"):
        boom(fb.Rigid(), start=3.0)


@pytest.mark.slow
@settings(max_examples=4, deadline=None)
@given(arms(links=2, modes=2), st.integers(0, 2**32 - 1), st.sampled_from(IN_PLANE[:3]))
def test_random_arms_that_carry_a_track_keep_their_energy(arm, seed, discretization):
    """Without damping and inputs dE/dt is zero at any state."""
    arm = arm.without_damping()
    model = arm.model
    track = model.add(fb.Track("track", 0.8, 0.5, 20.0, discretization, bending="yz"))
    car = model.add(fb.Payload("car", mass=0.7, inertia=np.diag([0.01, 0.02, 0.015]), center=(0.0, 0.1, 0.0)))
    model.connect(arm.segments[-1].link.frame_b, track.frame_a)
    model.connect(track.carriage, car.frame_a)
    dae = fb.assemble(model)
    n, x = dae.tree.size, dae.x.symbol
    slope = ca.Function("slope", [x], [ca.gradient(sum(dae.energy(x, dae.p.symbol)[:2]), x)])
    rng = np.random.default_rng(seed)
    at = np.concatenate([rng.uniform(-0.1, 0.1, n), rng.uniform(-1.0, 1.0, n)])
    at[dae.q_names.index("track.position")] = rng.uniform(0.0, 0.8)
    powers = slope(at).full().ravel() * dae.forward_dynamics(at, np.zeros(len(dae.u)), []).full().ravel()
    assert abs(powers.sum()) < 1e-8 * np.abs(powers).max()


@pytest.mark.slow
@pytest.mark.skipif(find_compiler() is None, reason="there is no C compiler")
def test_a_track_travels_as_an_fmu(tmp_path):
    fmpy = pytest.importorskip("fmpy")
    dae = fb.assemble(boom(fb.FiniteElements(2)))
    export.fmu(dae, tmp_path / "boom.fmu")
    output, times = "track.position", np.linspace(0.0, 0.5, 51)
    fmu, start = str(tmp_path / "boom.fmu"), {"drive.force": 5.0, "track.position": 1.0}
    values = fmpy.simulate_fmu(fmu, stop_time=0.5, output_interval=0.01, output=[output], start_values=start)
    run = fb.simulate(dae, times, u={"drive.force": 5.0}, x0={"track.position": 1.0})
    np.testing.assert_allclose(values[output], run[output], atol=1e-6)
