"""Closed kinematic loops against closed forms, minimal coordinates and free bodies."""

from __future__ import annotations

import runpy

import casadi as ca
import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.linalg import eigh
from scipy.optimize import brentq
from scipy.spatial.transform import Rotation

import flexblocks as fb
from arms.chains import values
from arms.linkages import FLEXIBLE, RIGID, FourBar, G, parallelogram, turning
from flexblocks import export
from flexblocks.constraints.closed_state import closed_state
from repository import EXAMPLES


def closures(dae: fb.DAE, x: np.ndarray) -> np.ndarray:
    """Return the residuals of the closures along states (k, nx)."""
    return dae.constraint(x[:, : dae.tree.size].T, []).full()


def test_a_planar_loop_keeps_three_closures():
    dae = fb.assemble(RIGID.model())
    assert dae.q_names == ("crank_joint.angle", "knee.angle", "rocker_joint.angle", "elbow.angle")
    assert [name for name in dae.y.names if "loop" in name] == [
        "elbow.loop_force_x",
        "elbow.loop_force_y",
        "elbow.loop_torque_z",
    ]
    np.testing.assert_allclose(dae.x.start[:4], RIGID.angles(1.0), atol=1e-12)  # the first start value is kept


@pytest.mark.parametrize("theta", [0.2, 1.3, 2.9, 4.4, 6.0])
def test_positions_and_rates_of_the_four_bar(theta):
    dae, h = fb.assemble(RIGID.model()), 1e-6
    x = turning(dae, theta, 2.0)
    np.testing.assert_allclose(x[:4], RIGID.angles(theta), atol=1e-9)
    rates = 2.0 * (RIGID.angles(theta + h) - RIGID.angles(theta - h)) / (2 * h)
    np.testing.assert_allclose(x[4:], rates, atol=1e-8)


@pytest.mark.parametrize("four_bar", [RIGID, FLEXIBLE], ids=["rigid", "flexible"])
def test_accelerations_are_those_in_minimal_coordinates(four_bar):
    modes = 2 if four_bar.rigidity else 0
    dae, lagrange = fb.assemble(four_bar.model()), four_bar.lagrange(modes)
    own = [0, *range(2, 2 + modes)]
    rng = np.random.default_rng(0)
    for _ in range(4):
        x = turning(dae, rng.uniform(0, 6), rng.uniform(-3, 3))
        n, torque = dae.tree.size, rng.uniform(-1, 1)
        if modes:
            bent = {f"coupler.bending_y[{i}]": rng.uniform(-0.01, 0.01) for i in (1, 2)}
            speed = {f"der({name})": rng.uniform(-1, 1) for name in bent}
            named = {"crank_joint.angle": x[0], "der(crank_joint.angle)": x[n]}
            x = closed_state(dae, named | bent | speed, dae.p.start, "test: ")
        expected, T, V, *_ = map(values, lagrange(x[own], x[n:][own], torque))
        found = values(dae.forward_dynamics(x, [torque], []))
        np.testing.assert_allclose(found[n:][own], np.atleast_1d(expected), rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(values(dae.energy(x, [])[0]), T, rtol=1e-12)
        np.testing.assert_allclose(values(dae.energy(x, [])[1]), V, rtol=1e-12)


def test_forces_at_the_cut_turn_the_rocker():
    """The rocker as a free body: weight and the force at the pin give its acceleration about its foot."""
    dae = fb.assemble(RIGID.model())
    x = turning(dae, 1.2, 3.0)
    a = values(dae.forward_dynamics(x, [0.4], []))[4:]
    force = dict(zip(dae.y.names, values(dae.output(x, [0.4], [])), strict=True))
    # What the first outlet (the coupler's end) exerts on the second (the rocker's pin), in the coupler's axes.
    coupler, rocker = x[0] + x[1], x[2]
    F = Rotation.from_euler("z", coupler).apply([force["elbow.loop_force_x"], force["elbow.loop_force_y"], 0])
    arm = RIGID.rocker * np.array([np.cos(rocker), np.sin(rocker), 0])
    torque = np.cross(arm, F)[2] - RIGID.rocker_mass * G * arm[0] / 2
    assert RIGID.rocker_mass * RIGID.rocker**2 / 3 * a[2] == pytest.approx(torque, rel=1e-10)
    assert force["elbow.loop_torque_z"] == pytest.approx(0.0, abs=1e-12)  # a pin turns freely


def test_moment_in_a_beam_of_a_loop():
    """At rest, by the force at the pin and the weight of the part beyond; the rocker is a beam here."""
    model = fb.Model("four-bar", (0.0, -G, 0.0))
    density = RIGID.rocker_mass / RIGID.rocker
    beam = fb.FlexibleBeam("rocker", RIGID.rocker, density, 10.0, fb.Rigid(), internal_forces=(0.1,))
    for block in RIGID.model().blocks.values():
        model.add(beam if block.name == "rocker" else block)
    for ports in RIGID.model().connections:
        model.connect(*map(str, ports))
    dae = fb.assemble(model)
    op = fb.equilibrium(dae, x={"crank_joint.angle": 0.7})
    y = dict(zip(dae.y.names, values(dae.output(op.x, op.u, [])), strict=True))
    coupler, rocker = op["crank_joint.angle"] + op["knee.angle"], op["rocker_joint.angle"]
    turn = Rotation.from_euler("z", coupler - rocker)
    across = turn.apply([y["elbow.loop_force_x"], y["elbow.loop_force_y"], 0])[1]
    beyond = RIGID.rocker - 0.1
    weight = RIGID.rocker_mass / RIGID.rocker * G * np.cos(rocker)
    assert y["rocker.station(0.1).moment_y"] == pytest.approx(across * beyond - weight * beyond**2 / 2, rel=1e-9)
    assert abs(across * beyond) > 0.01


def test_a_turning_four_bar_follows_its_minimal_coordinates():
    dae, lagrange = fb.assemble(RIGID.model()), RIGID.lagrange()
    run = fb.simulate(
        dae, np.linspace(0, 3, 61), u={"motor.torque": 0.05}, x0={"crank_joint.angle": 0.3}, rtol=1e-11, atol=1e-13
    )

    def rates(t, y):
        return [y[1], float(lagrange(y[0], y[1], 0.05)[0])]

    expected = solve_ivp(rates, (0, 3), [0.3, 0.0], t_eval=run.t, method="DOP853", rtol=1e-11, atol=1e-12)
    np.testing.assert_allclose(run["crank_joint.angle"], expected.y[0], atol=1e-7)
    assert np.ptp(run["crank_joint.angle"]) > 1


def test_driven_four_bar_with_a_flexible_coupler_for_ten_seconds():
    dae = fb.assemble(FLEXIBLE.model())
    run = fb.simulate(dae, (0.0, 10.0), u={"motor.torque": 0.01})
    assert np.abs(closures(dae, run.x)).max() < 1e-8
    assert np.abs(run["coupler.bending_y[1]"]).max() > 2e-3
    energy = run["kinetic_energy"] + run["potential_energy"] - run["work"]
    np.testing.assert_allclose(energy, energy[0], atol=1e-7)


def rest_angle(four_bar: FourBar) -> float:
    """Return the crank's angle at which the weight of the rigid linkage balances, hanging."""
    V = four_bar.lagrange()

    def slope(theta, h=1e-5):
        return float(V(theta + h, 0, 0)[2] - V(theta - h, 0, 0)[2]) / (2 * h)

    return brentq(slope, -2.5, -0.8)


def test_a_hanging_four_bar_swings_at_the_frequency_of_minimal_coordinates():
    dae, lagrange = fb.assemble(RIGID.model()), RIGID.lagrange()
    theta = rest_angle(RIGID)
    op = fb.equilibrium(dae, x={"crank_joint.angle": theta})
    assert op["motor.torque"] == pytest.approx(0.0, abs=1e-8)
    lin = fb.linearize(dae, op, outputs=("crank_joint.angle", "rocker_joint.angle", "elbow.z"))
    assert lin.states == ("crank_joint.angle", "der(crank_joint.angle)")
    M, K = map(float, lagrange(theta, 0, 0)[3:])
    (mode,) = lin.modes()
    assert mode.frequency == pytest.approx(np.sqrt(K / M), rel=1e-8)
    assert mode.damping_ratio == 0.0
    h = 1e-6
    slope = (RIGID.angles(theta + h)[2] - RIGID.angles(theta - h)[2]) / (2 * h)
    np.testing.assert_allclose(lin.C, [[1, 0], [slope, 0], [0, 0]], atol=1e-8)


def test_frequencies_of_a_flexible_coupler():
    """Against minimal coordinates; and finite elements come to the same."""
    stiff = FourBar(rigidity=5.0, gravity=0.0)
    lagrange = stiff.lagrange(modes=3)
    *_, M, K = (value.full() for value in lagrange([1.0, 0, 0, 0], np.zeros(4), 0))
    expected = np.sqrt(np.abs(eigh(K, M, eigvals_only=True)))

    def frequencies(kind):
        dae = fb.assemble(stiff.model(kind))
        return fb.linearize(dae, fb.equilibrium(dae, u={"motor.torque": 0.0})).modes().frequency

    found = frequencies(fb.AssumedModes(3, tip="pinned"))
    assert found[0] == 0.0  # nothing holds the crank
    np.testing.assert_allclose(found[1:], expected[1:], rtol=1e-9)
    *_, M, K = (value.full() for value in stiff.lagrange(modes=12)([1.0, *[0.0] * 12], np.zeros(13), 0))
    exact = np.sqrt(np.abs(eigh(K, M, eigvals_only=True)))
    np.testing.assert_allclose(frequencies(fb.FiniteElements(12))[1:3], exact[1:3], rtol=1e-4)


@pytest.mark.parametrize("cranks", [2, 3])
@pytest.mark.parametrize("tilt", [None, (0.4, -1.1, 0.7)])
def test_parallelogram_is_a_pendulum(cranks, tilt):
    """Its bar moves without turning; a third crank is redundant, and in space so are three closures a loop."""
    turn = Rotation.from_rotvec(tilt or (0, 0, 0))
    base = fb.FixedTransform("base", (0.1, 0.2, 0.3), turn.as_rotvec()) if tilt else None
    dae = fb.assemble(parallelogram(cranks, base, tuple(turn.apply([0, -G, 0]))))
    assert dae.constraint.size1_out(0) == dae.tree.size - 1
    inertia = cranks * 0.3 * 0.2**2 / 3 + 0.2**2
    torque = (cranks * 0.3 * 0.1 + 0.2) * G
    x = closed_state(dae, {"hinge0.angle": -0.9, "der(hinge0.angle)": 1.5}, dae.p.start, "test: ")
    a = values(dae.forward_dynamics(x, [], []))[dae.tree.size :]
    assert a[0] == pytest.approx(-torque * np.cos(0.9) / inertia, rel=1e-10)
    run = fb.simulate(dae, np.linspace(0, 2, 41), x0=x)
    assert np.abs(closures(dae, run.x)).max() < 1e-9
    expected = solve_ivp(
        lambda t, y: [y[1], -torque * np.cos(y[0]) / inertia], (0, 2), [-0.9, 1.5], t_eval=run.t, rtol=1e-11, atol=1e-12
    )
    np.testing.assert_allclose(run["hinge0.angle"], expected.y[0], atol=1e-7)


def test_a_parallelogram_on_a_waist_turns_out_of_its_plane():
    """The closures are in the axes of a link: what is redundant stays so while the plane of the loop turns in space."""
    waist = fb.Revolute("waist", axis=(0, 1, 0))
    dae = fb.assemble(parallelogram(2, waist))
    assert (dae.tree.size, dae.constraint.size1_out(0)) == (5, 3)
    run = fb.simulate(dae, (0.0, 2.0), x0={"der(waist.angle)": 3.0, "hinge0.angle": -0.9})
    assert np.ptp(run["waist.angle"]) > np.pi
    assert np.abs(closures(dae, run.x)).max() < 1e-9
    energy = run["kinetic_energy"] + run["potential_energy"]
    np.testing.assert_allclose(energy, energy[0], atol=1e-7)
    momentum = [dae.mass_matrix(x[:5], []).full()[0] @ x[5:] for x in run.x]
    np.testing.assert_allclose(momentum, momentum[0], rtol=1e-7)


def spatial_linkage(drive: float = 0.5) -> fb.Model:
    """Return a crank that swings a lever about a crossed axis by a rod on a ball joint and a cross joint."""
    model = fb.Model("crossed", (0.0, 0.0, -G))
    inertia = np.diag([2e-4, 8e-4, 8e-4])
    for block in (
        fb.Ground("ground"),
        fb.Revolute("crank_joint", axis=(0, 0, 1), start=drive),
        fb.RigidBody("crank", 0.4, inertia, (0.05, 0, 0), reach=(0.1, 0, 0)),
        fb.Gimbal("ball", axes=((0, 0, 1), (0, 1, 0), (1, 0, 0))),
        fb.RigidBody("rod", 0.3, inertia, (0.2, 0, 0), reach=(0.4, 0, 0)),
        fb.FixedTransform("foot", (0.35, 0.1, -0.05)),
        fb.Revolute("lever_joint", axis=(0, 1, 0), start=-1.5),
        fb.RigidBody("lever", 0.5, inertia, (0.1, 0, 0), reach=(0.2, 0, 0)),
        fb.Universal("cross", axes=((0, 1, 0), (0, 0, 1))),
    ):
        model.add(block)
    chain = ("crank_joint", "crank", "ball", "rod"), ("foot", "lever_joint", "lever", "cross")
    for names in chain:
        for inner, outer in zip(("ground", *names), names, strict=False):
            model.connect(f"{inner}.frame_b", f"{outer}.frame_a")
    model.connect("rod.frame_b", "cross.frame_b")
    return model


def test_spatial_linkage():
    dae = fb.assemble(spatial_linkage())
    n = dae.tree.size
    assert (n, dae.constraint.size1_out(0)) == (7, 6)
    run = fb.simulate(dae, (0.0, 2.0), x0={"der(crank_joint.angle)": 12.0})
    assert np.ptp(run["crank_joint.angle"]) > 1
    assert np.abs(closures(dae, run.x)).max() < 1e-8
    energy = run["kinetic_energy"] + run["potential_energy"]
    np.testing.assert_allclose(energy, energy[0], atol=1e-7)


@pytest.mark.parametrize("rate", [0.0, 3.0])
def test_linear_model_is_the_slope_of_the_motion(rate):
    """By finite differences along the closed loops; about a moving point too."""
    dae = fb.assemble(FLEXIBLE.model())
    n = dae.tree.size
    given = {"crank_joint.angle": 0.8, "der(crank_joint.angle)": rate, "motor.torque": 0.2}
    with pytest.warns(fb.errors.FlexblocksWarning, match="not an equilibrium"):
        lin = fb.linearize(dae, given)
    own = [dae.x.index(name) for name in lin.states]
    assert len(own) == 6
    x0 = lin.operating_point.x

    def motion(independent, u):
        named = dict(zip(lin.states, independent, strict=True))
        x = closed_state(dae, named, dae.p.start, "test: ")
        return values(dae.forward_dynamics(x, [u], []))[own], values(dae.output(x, [u], []))

    h, start = 1e-6, x0[own]
    for j in range(6):
        step = h * np.eye(6)[j]
        up, down = motion(start + step, 0.2), motion(start - step, 0.2)
        for matrix, k in ((lin.A, 0), (lin.C, 1)):
            slope = (up[k] - down[k]) / (2 * h)
            np.testing.assert_allclose(matrix[:, j], slope, rtol=1e-5, atol=1e-5 * np.abs(matrix).max())
    up, down = motion(start, 0.2 + h), motion(start, 0.2 - h)
    np.testing.assert_allclose(lin.B[:, 0], (up[0] - down[0]) / (2 * h), rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(lin.D[:, 0], (up[1] - down[1]) / (2 * h), rtol=1e-6, atol=1e-6)
    assert n == 6


def test_equilibrium_holds_what_is_asked_for():
    dae = fb.assemble(FLEXIBLE.model())
    op = fb.equilibrium(dae, x={"crank_joint.angle": 0.4})
    np.testing.assert_allclose(values(dae.forward_dynamics(op.x, op.u, [])), 0.0, atol=1e-7)
    assert op["crank_joint.angle"] == 0.4
    free = fb.equilibrium(dae, u={"motor.torque": 0.0})
    np.testing.assert_allclose(values(dae.forward_dynamics(free.x, [0.0], [])), 0.0, atol=1e-7)


def test_where_the_loop_is_cut_does_not_matter():
    """The same linkage with the crank's side added last is cut between other parts."""
    other = fb.Model("four-bar", (0.0, -G, 0.0))
    model = RIGID.model()
    for block in reversed(model.blocks.values()):
        other.add(block)
    for ports in model.connections:
        other.connect(*map(str, ports))
    one, two = fb.assemble(model), fb.assemble(other)
    a = values(one.forward_dynamics(turning(one, 1.1, 2.0), [0.3], []))
    b = values(two.forward_dynamics(turning(two, 1.1, 2.0), [0.3], []))
    found = dict(zip(two.x.names, b, strict=True))
    np.testing.assert_allclose(a, [found[name] for name in one.x.names], rtol=1e-9)


def test_batches_and_symbolic_lengths():
    dae = fb.assemble(RIGID.model(), symbolic=("coupler.length", "coupler.mass"))
    runs = fb.simulate_batch(
        dae, np.linspace(0, 0.2, 5), p={"coupler.length": [0.3, 0.31]}, x0={"crank_joint.angle": 0.5}
    )
    for i, length in enumerate((0.3, 0.31)):
        start = FourBar(coupler=length).angles(0.5)
        np.testing.assert_allclose([float(runs[n][i, 0]) for n in dae.q_names], start, atol=1e-9)


def test_a_loop_comes_back_from_a_file(tmp_path):
    FLEXIBLE.model().save(tmp_path / "loop.yaml")
    one, two = fb.assemble(FLEXIBLE.model()), fb.assemble(fb.load(tmp_path / "loop.yaml"))
    x = turning(one, 0.7, 1.0)
    np.testing.assert_array_equal(one.forward_dynamics(x, [0.1], []), two.forward_dynamics(x, [0.1], []))


def test_other_coordinates_close_the_same_loop():
    dae = fb.assemble(RIGID.model())
    T = np.array([[1.0, 0, 0, 0], [-1, 1, 0, 0], [0, 0, 1, 0], [0, 0, -1, 1]])  # absolute angles of the links
    absolute = fb.change_coordinates(dae, T, ("crank", "coupler", "rocker", "end"))
    x = turning(dae, 0.9, 2.0)
    turned = np.concatenate([np.linalg.solve(T, part) for part in np.split(x, 2)])
    rates = values(absolute.forward_dynamics(turned, [0.1], []))
    np.testing.assert_allclose(T @ rates[4:], values(dae.forward_dynamics(x, [0.1], []))[4:], rtol=1e-9)


def test_parts_of_the_equations_hold_along_a_motion():
    dae = fb.assemble(RIGID.model())
    parts = export.equations(dae, "casadi")
    x, torque = turning(dae, 0.9, 2.0), 0.3
    a, force = values(dae.forward_dynamics(x, [torque], []))[4:], values(dae.multipliers(x, [torque], []))
    function = ca.Function("parts", [dae.q, dae.v], [parts[name] for name in ("M", "c", "g", "B", "J", "b")])
    M, c, g, B, J, b = (part.full() for part in function(x[:4], x[4:]))
    np.testing.assert_allclose(M @ a + c.ravel() + g.ravel(), B.ravel() * torque + J.T @ force, atol=1e-12)
    np.testing.assert_allclose(b, 0.0, atol=1e-12)


@pytest.mark.slow
def test_the_example_turns_with_closed_loops_and_says_so(capsys):
    example = runpy.run_path(str(EXAMPLES / "four_bar.py"))
    motion = example["main"]()
    assert motion.t[-1] == 10.0
    assert np.ptp(motion["crank_joint.angle"]) > 1.0
    assert np.abs(closures(fb.assemble(example["four_bar"]()), motion.x)).max() < 1e-8
    energy = motion["kinetic_energy"] + motion["potential_energy"] - motion["work"]
    assert np.ptp(energy) < 1e-6
    assert "In 10 s the loop opens by up to" in capsys.readouterr().out


@pytest.mark.parametrize("size", [1.0, 1e-7])
def test_a_heavy_rotor_beside_a_light_parallelogram_costs_it_no_digits(size):
    """The same pendulum as alone, beside a geared rotor on the same base with 1e13 times its inertia."""
    model = parallelogram(mass=size)
    motor, wheel = model.add(fb.Rotor("rotor", inertia=1.0, gear_ratio=1000.0)), model.add(fb.Revolute("wheel"))
    hub = model.add(fb.Payload("hub", mass=1.0, inertia=1e-3))
    model.connect("ground.frame_b", wheel.frame_a)
    model.connect(wheel.frame_b, hub.frame_a)
    model.connect(motor.flange_b, wheel.axis)
    dae = fb.assemble(model)
    x = closed_state(dae, {"hinge0.angle": -0.9, "der(hinge0.angle)": 1.5}, dae.p.start, "test: ")
    rates = dict(zip(dae.x.names, values(dae.forward_dynamics(x, [], [])), strict=True))
    inertia, torque = 2 * 0.3 * 0.2**2 / 3 + 0.2**2, (2 * 0.3 * 0.1 + 0.2) * G
    assert rates["der(hinge0.angle)"] == pytest.approx(-torque * np.cos(0.9) / inertia, rel=1e-11)
