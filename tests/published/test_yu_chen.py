"""The arm of Yu & Chen (2019): equations and frequencies against independent numbers and the paper's own matrices.

Numbers: tests/oracles/references/yu_chen_2019.json, from a SymPy Lagrangian that knows nothing of this library.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

import casadi as ca
import numpy as np
import pytest

import flexblocks as fb
from arms.chains import chain
from flexblocks.errors import ParameterError
from flexblocks.interfaces.physics import Physics
from flexblocks.interfaces.ports import inlet, outlet
from flexblocks.models import yu_chen_2019
from flexblocks.models.yu_chen import link_data
from flexblocks.models.yu_chen_chords import chord_coordinates
from oracles.published import reference
from oracles.yu_chen_equations import Link, Matrices, matrices

REFERENCE = reference("yu_chen_2019")
Q, V, TAU = (np.array(REFERENCE[name]) for name in ("q", "v", "tau"))
LOCKED = REFERENCE["free_vibration_case_1_rad_s"]


@cache
def in_chords(**arguments) -> fb.DAE:
    return chord_coordinates(fb.assemble(yu_chen_2019(**arguments)))


def stiffness(dae: fb.DAE) -> np.ndarray:
    """Return K (n, n) of an arm without gravity."""
    return ca.Function("K", [dae.q], [ca.hessian(dae.expressions.potential, dae.q)[0]])(np.zeros(dae.tree.size)).full()


def velocity_force(dae: fb.DAE, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Return H q' of an arm without gravity."""
    return dae.inverse_dynamics(q, v, 0 * v, []).full().ravel() - stiffness(dae) @ q


def test_equations_of_two_links_in_chord_coordinates():
    free, heavy = in_chords(gravity=(0.0, 0.0, 0.0)), in_chords()
    assert heavy.q_names == ("theta1", "theta2", "f11", "f12", "f21", "f22")
    np.testing.assert_allclose(free.mass_matrix(Q, []).full(), REFERENCE["M"], rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(velocity_force(free, Q, V), REFERENCE["h"], rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(stiffness(free), np.diag([0.0, 0.0, *REFERENCE["K_diag"]]), rtol=1e-10, atol=1e-9)
    np.testing.assert_allclose(
        heavy.input_force(np.r_[Q, V], TAU, []).full().ravel(), REFERENCE["F"], rtol=1e-10, atol=1e-10
    )
    weight = (heavy.inverse_dynamics(Q, V, 0 * V, []) - free.inverse_dynamics(Q, V, 0 * V, [])).full().ravel()
    np.testing.assert_allclose(weight, REFERENCE["C_full_gravity"], rtol=1e-10, atol=1e-10)


def test_the_papers_weight_leaves_the_deflection_out():
    dae = in_chords()
    straight = ca.substitute(dae.expressions.potential, dae.q[2:], ca.SX.zeros(4))
    weight = ca.Function("weight", [dae.q], [ca.gradient(straight, dae.q)])(Q).full().ravel()
    np.testing.assert_allclose(weight, REFERENCE["C_paper_gravity"], rtol=1e-10, atol=1e-10)


def test_equations_of_one_link():
    one = REFERENCE["one_link"]
    q, v = np.array(one["q"]), np.array(one["v"])
    dae = in_chords(links=1, gravity=(0.0, 0.0, 0.0))
    np.testing.assert_allclose(dae.mass_matrix(q, []).full(), one["M"], rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(velocity_force(dae, q, v), one["h"], rtol=1e-10, atol=1e-11)
    np.testing.assert_allclose(stiffness(dae), np.diag([0.0, *REFERENCE["K_diag"][:2]]), rtol=1e-10, atol=1e-9)
    # F = (tau, -pi tau / l, 2 pi tau / l), eqs 31 and 32 for the last link.
    force = dae.input_force(np.r_[q, v], [2.0], []).full().ravel()
    np.testing.assert_allclose(force, 2.0 * np.array([1.0, -np.pi / 0.475, 2 * np.pi / 0.475]), rtol=1e-12)


def paper(mu: tuple[float, ...], q: np.ndarray, v: np.ndarray) -> Matrices:
    stages = [link_data(i) for i in range(1, len(mu) + 1)]
    links = [Link(data.length, data.mass, data.lumped_mass, m) for data, m in zip(stages, mu, strict=True)]
    return matrices(links, q, v)


def random_state(links: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(links)
    size = np.r_[np.ones(links), np.full(2 * links, 0.02)]
    return rng.uniform(-1, 1, 3 * links) * size, rng.uniform(-2, 2, 3 * links) * np.sqrt(size)


@pytest.mark.parametrize("dynamics", ["recursive", "closed-form"])
@pytest.mark.parametrize("mu", [(-0.5,), (0.0, 0.0), (-0.3, -0.75), (0.0, -0.5, -0.2), (-1.0, -0.1, 0.0, -0.6)])
def test_the_papers_matrices_for_more_links_and_masses_anywhere(mu, dynamics):
    links = len(mu)
    q, v = random_state(links)
    places = [link_data(i).length * (1 + m) for i, m in enumerate(mu, start=1)]
    model = yu_chen_2019(links=links, lumped_mass_at=places, gravity=(0.0, 0.0, 0.0))
    dae = chord_coordinates(fb.assemble(model, dynamics=dynamics))
    expected = paper(mu, q, v)
    M, h = expected.M, expected.velocity_force(v)
    np.testing.assert_allclose(dae.mass_matrix(q, []).full(), M, rtol=1e-11, atol=1e-12)
    np.testing.assert_allclose(velocity_force(dae, q, v), h, rtol=1e-9, atol=1e-10)
    tau = np.linspace(1.0, 2.0, links)
    force = dae.input_force(np.r_[q, v], tau, []).full().ravel() - stiffness(dae) @ q
    a = dae.forward_dynamics(np.r_[q, v], tau, []).full().ravel()[3 * links :]
    assert np.abs(M @ a + h - force).max() <= 1e-9 * np.abs(force).max()


def test_weight_of_straight_links_is_the_papers():
    q, v = random_state(3)
    q[3:] = 0.0
    dae = in_chords(links=3)
    weight = dae.inverse_dynamics(q, 0 * v, 0 * v, []).full().ravel()[:3]
    np.testing.assert_allclose(weight, paper((0.0, 0.0, 0.0), q, v).weight, rtol=1e-12)


def change_of_momentum() -> np.ndarray:
    """Return M' q' of two links at the state of the reference."""
    dae = in_chords(gravity=(0.0, 0.0, 0.0))
    rate = ca.Function("rate", [dae.q, dae.v], [ca.jtimes(dae.expressions.mass, dae.q, dae.v)])
    return rate(Q, V).full() @ V


def test_angular_momentum_shows_the_misprint_of_eq_39():
    """Without forces nothing turns the whole arm: M q'' = -H q', so row 1 of M' q' - H q' is zero.

    Energy cannot show it: what eq 39 leaves out is skew in the joints (gyroscopic) and does no work.
    """
    expected = paper((0.0, 0.0), Q, V)
    right, printed = expected.velocity_force(V), expected.velocity_force(V, printed=True)
    np.testing.assert_allclose(right, REFERENCE["h"], rtol=1e-10)
    flow = change_of_momentum()
    assert right[0] == pytest.approx(flow[0], abs=1e-12)
    assert velocity_force(in_chords(gravity=(0.0, 0.0, 0.0)), Q, V)[0] == pytest.approx(flow[0], abs=1e-10)
    assert abs(printed[0] - flow[0]) > 0.5 * abs(flow[0])
    for h in (right, printed):
        assert V @ h == pytest.approx(V @ flow / 2, abs=1e-12)


def test_energy_balance_shows_the_misprint_of_eq_a10():
    """A factor theta1' too many in F: kinetic energy stays without forces if q' (M'/2 - H) q' = 0, and it does not."""
    expected = paper((0.0, 0.0), Q, V)
    printed = expected.velocity_force(V, printed=True)
    F = 2 * 0.29 * 0.475 / np.pi * V[4] * np.sin(Q[1])
    pattern = np.array([2 * V[0] + V[1], V[0]])
    E = 0.29 * (V[0] + V[1]) * (V[4:] @ Q[4:])
    np.testing.assert_allclose(
        expected.H_thf_printed @ V[2:], [0.374 * V[0] * (V[2:4] @ Q[2:4]) + E, E] + F * pattern, rtol=1e-12
    )  # eq A.5 is eq 39, but for that factor
    as_printed = printed.copy()
    as_printed[:2] += F * (V[0] - 1) * pattern
    power = V @ change_of_momentum() / 2
    assert V @ printed == pytest.approx(power, abs=1e-12)
    assert abs(V @ as_printed - power) > 0.001


@dataclass(frozen=True)
class Bend(fb.Block):
    """Holds the elbow at -45 degrees, as the second motor does."""

    ports = (inlet(), outlet())

    def physics(self, frame, local):
        return Physics(outlets={"frame_b": frame.rotate((0, 0, 1), ca.SX(-np.pi / 4))})


@pytest.mark.parametrize(
    ("arguments", "expected", "tolerance"),
    [
        ({"modes": 2, "shapes": "pinned"}, LOCKED["motors locked, two sine modes"], 5e-4),
        ({"modes": 6, "shapes": "clamped-mass"}, LOCKED["motors locked, converged beam"], 5e-4),
    ],
)
def test_frequencies_with_locked_motors(arguments, expected, tolerance):
    blocks = yu_chen_2019(**arguments).blocks
    model = chain(
        replace(blocks["joint1"], start=0.0),
        *(blocks[name] for name in ("link1", "mass1")),
        Bend("bend"),
        replace(blocks["joint2"], start=0.0),
        *(blocks[name] for name in ("link2", "mass2")),
        gravity=(0, 0, 0),
    )
    for i in (1, 2):
        model.connect(model.add(fb.Fixed(f"brake{i}")).flange_b, f"joint{i}.axis")
    frequency = np.unique(np.round(fb.linearize(fb.assemble(model)).modes().frequency, 9))
    np.testing.assert_allclose(frequency[:2], expected, atol=tolerance)


def test_frequencies_converge_from_above():
    found = []
    for modes in (2, 4, 8):
        dae = fb.assemble(yu_chen_2019(modes=modes, gravity=(0.0, 0.0, 0.0)))
        bending = [i for i, name in enumerate(dae.q_names) if "bending" in name]
        M = dae.mass_matrix(dae.x.start[: dae.tree.size], []).full()[np.ix_(bending, bending)]
        K = stiffness(dae)[np.ix_(bending, bending)]
        found.append(np.sqrt(np.sort(np.linalg.eigvals(np.linalg.solve(M, K)).real)[:2]))
    assert found[0] == pytest.approx(LOCKED["motors locked, two sine modes"], abs=5e-4)
    assert np.all(np.diff(found, axis=0) < 0)
    assert np.all(found[-1] > LOCKED["motors locked, converged beam"])


@pytest.mark.parametrize(("fed_back", "stable"), [("motor", True), ("chord", False)])
def test_feedback_of_the_motor_angle_is_stable_and_of_the_chord_angle_is_not(fed_back, stable):
    dae = fb.assemble(yu_chen_2019(gravity=(0.0, 0.0, 0.0)))
    dae = chord_coordinates(dae) if fed_back == "chord" else dae
    angles = ("theta1", "theta2") if fed_back == "chord" else ("joint1.angle", "joint2.angle")
    lin = fb.linearize(dae, at=dict(zip(angles, (np.pi / 4, -np.pi / 4), strict=True)))
    feedback = np.zeros((2, len(lin.states)))
    for i, name in enumerate(angles):
        feedback[i, lin.states.index(name)], feedback[i, lin.states.index(f"der({name})")] = 125.0, 25.0
    growth = np.linalg.eigvals(lin.A - lin.B @ feedback).real.max()
    assert growth < -0.1 if stable else growth > 1.0


def test_geared_motors_and_their_friction():
    """Motor torques come out magnified; friction at the motor's shaft is felt by gear ratio and its square."""
    direct, geared = (fb.assemble(yu_chen_2019(drives=drives, friction=True)) for drives in ("direct", "geared"))
    smooth = fb.assemble(yu_chen_2019())
    assert direct.q_names == geared.q_names == smooth.q_names
    np.testing.assert_allclose(direct.u.limits, [32.0, 10.24])
    np.testing.assert_allclose(geared.u.limits, [0.5, 0.32])
    q, v = np.array([0.8, 0.01, 0.002, -0.8, 0.01, 0.002]), np.array([0.5, 0.1, 0.0, -0.7, 0.0, 0.1])
    assert direct.q_names[0] == "joint1.angle"
    assert direct.q_names[3] == "joint2.angle"
    x = np.r_[q, v]
    np.testing.assert_allclose(
        geared.input_force(x, [0.5, 0.32], []).full(), smooth.input_force(x, [32.0, 10.24], []).full(), rtol=1e-14
    )
    bias = {dae: dae.inverse_dynamics(q, v, 0 * v, []).full().ravel() for dae in (direct, geared, smooth)}
    felt = np.zeros(6)
    felt[[0, 3]] = [0.0345 + 0.0037 * 0.5, -(0.0226 + 0.0023 * 0.7)]
    np.testing.assert_allclose(bias[direct] - bias[smooth], felt, atol=1e-12)
    felt[[0, 3]] = [64 * 0.0345 + 64**2 * 0.0037 * 0.5, -(32 * 0.0226 + 32**2 * 0.0023 * 0.7)]
    np.testing.assert_allclose(bias[geared] - bias[smooth], felt, atol=1e-12)


def test_sensors_and_further_links():
    dae = fb.assemble(yu_chen_2019(links=3, accelerometers=True))
    assert "accelerometer3.acceleration_y" in dae.y
    assert "mass3.x" in dae.y
    np.testing.assert_allclose(dae.x.start[[0, 3, 6]], [np.pi / 4, -np.pi / 4, 0.0])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"links": 0}, "links = 0; must be a whole number > 0"),
        ({"modes": -1}, "modes = -1; must be a whole number >= 0"),
        ({"shapes": "sine"}, "shapes = 'sine'; must be one of pinned"),
        ({"drives": "belt"}, "drives = 'belt'; must be one of direct, geared"),
        ({"lumped_mass_at": 0.2}, "lumped_mass_at = 0.2; must be 2 distances from the joint"),
        ({"lumped_mass_at": (0.2,)}, r"lumped_mass_at = \(0.2,\); must be 2 distances from the joint"),
    ],
)
def test_what_is_no_such_arm_is_refused(arguments, message):
    with pytest.raises(ParameterError, match=f"yu_chen_2019: {message}"):
        yu_chen_2019(**arguments)


def test_a_mass_beyond_its_link_is_refused():
    with pytest.raises(ParameterError, match=r"must be a number from 0 to the length, 0\.475 m"):
        yu_chen_2019(lumped_mass_at=(0.5, 0.2))


def test_rigid_links_are_their_chords():
    rigid = fb.assemble(yu_chen_2019(modes=0))
    chords = chord_coordinates(rigid)
    assert chords.q_names == ("theta1", "theta2")
    np.testing.assert_array_equal(chords.x.start, rigid.x.start)


def test_only_the_papers_shapes_have_chords():
    with pytest.raises(ParameterError, match="chord_coordinates"):
        chord_coordinates(fb.assemble(yu_chen_2019(shapes="clamped-free")))
