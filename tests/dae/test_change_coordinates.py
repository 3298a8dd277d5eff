"""A change of coordinates changes numbers, not the arm."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import flexblocks as fb
from arms.library import subudhi_morris
from arms.random_arms import arms
from flexblocks import models, optim
from flexblocks.dae.change_coordinates import change_coordinates
from flexblocks.errors import ParameterError

seeds = st.integers(0, 2**32 - 1)


def mixed(dae: fb.DAE, seed: int) -> tuple[fb.DAE, np.ndarray]:
    """Return the arm in coordinates that mix all of the old ones, and T."""
    n = dae.tree.size
    rng = np.random.default_rng(seed)
    turn, _ = np.linalg.qr(rng.normal(size=(n, n)))
    T = turn * rng.uniform(0.5, 2.0, n)
    return change_coordinates(dae, T, [f"c{i}" for i in range(n)]), T


def close(actual, expected, tolerance=1e-10) -> bool:
    actual, expected = np.asarray(actual, dtype=float), np.asarray(expected, dtype=float)
    return np.abs(actual - expected).max(initial=0.0) <= tolerance * max(1.0, np.abs(expected).max(initial=0.0))


@pytest.mark.parametrize("dynamics", [pytest.param("recursive", marks=pytest.mark.slow), "closed-form"])
@settings(max_examples=5)
@given(arm=arms(links=3, modes=2), seed=seeds)
def test_an_arm_in_any_coordinates_is_the_same_arm(dynamics, arm, seed):
    old = fb.assemble(arm.model, dynamics=dynamics)
    new, T = mixed(old, seed)
    q, v, a, u = arm.random_state(old, seed)
    to_new = np.linalg.inv(T)
    x, x_new = np.r_[q, v], np.r_[to_new @ q, to_new @ v]
    qn, vn = np.split(x_new, 2)
    assert close(new.mass_matrix(qn, []), T.T @ old.mass_matrix(q, []).full() @ T)
    assert close(new.inverse_dynamics(qn, vn, to_new @ a, []), T.T @ old.inverse_dynamics(q, v, a, []).full())
    assert close(new.input_force(x_new, u, []), T.T @ old.input_force(x, u, []).full())
    for one, other in zip(new.energy(x_new, []), old.energy(x, []), strict=True):
        assert close(one, other)
    assert close(new.output(x_new, u, []), old.output(x, u, []))
    # What is solved for is as exact as M is well conditioned: judged by the forces it leaves.
    found = new.forward_dynamics(x_new, u, []).full().ravel()
    force = new.inverse_dynamics(qn, vn, found[len(q) :], []) - new.input_force(x_new, u, [])
    assert np.array_equal(found[: len(q)], vn)
    bias = old.inverse_dynamics(q, v, 0 * a, []).full()
    assert np.abs(force.full()).max() <= 1e-9 * max(1.0, np.abs(bias).max())


@pytest.mark.parametrize("dynamics", ["recursive", "closed-form"])
def test_a_motion_is_the_same_motion(dynamics):
    old = fb.assemble(models.subudhi_morris_2002(), dynamics=dynamics)
    new, T = mixed(old, 1)
    x0 = np.zeros(len(old.x))
    x0[:2] = 0.3  # rotor and link together: at rest
    u = {"motor1.torque": lambda t: 0.2 * np.sin(6 * t)}
    times = np.linspace(0.0, 0.5, 51)
    x0_new = np.r_[np.linalg.solve(T, x0[:8]), np.zeros(8)]
    first, second = (fb.simulate(dae, times, u, x) for dae, x in ((old, x0), (new, x0_new)))
    for name in old.y.names:
        np.testing.assert_allclose(second[name], first[name], atol=1e-8)
    np.testing.assert_allclose(np.array([second[name] for name in new.q_names]).T @ T.T, first.x[:, :8], atol=1e-8)


def test_frequencies_stay_and_modes_belong_to_the_same_blocks():
    old = subudhi_morris(rotor_mount="carried")
    new, _ = mixed(old, 2)
    before, after = fb.linearize(old).modes(), fb.linearize(new).modes()
    np.testing.assert_allclose(after.frequency[2:], before.frequency[2:], rtol=1e-8)
    lin = fb.linearize(new, outputs=("payload.y",))
    transfer = [
        m.C @ np.linalg.solve(4j * np.eye(16) - m.A, m.B) for m in (lin, fb.linearize(old, outputs="payload.y"))
    ]
    np.testing.assert_allclose(*transfer, rtol=1e-8)


def test_names_units_and_start_values():
    model = models.yu_chen_2019(modes=0)
    old = fb.assemble(model)
    new = change_coordinates(old, [[1.0, 0.0], [-1.0, 1.0]], ("shoulder", "forearm"), ("rad", "rad"))
    assert new.x.names == ("shoulder", "forearm", "der(shoulder)", "der(forearm)")
    assert new.x.units == ("rad", "rad", "rad/s", "rad/s")
    # 45 and -45 degrees are a forearm that lies flat.
    np.testing.assert_allclose(new.x.start, [np.pi / 4, 0.0, 0.0, 0.0], atol=1e-16)
    assert (new.u.names, new.y.names, new.dynamics) == (old.u.names, old.y.names, old.dynamics)


def test_what_hangs_on_the_dae_goes_on():
    """First-order states, symbolic parameters and an equilibrium live through the change."""
    from arms.one_link import DCMotor, joint_arm

    beam = fb.FlexibleBeam(
        "beam", length=0.5, linear_density=1.0, flexural_rigidity=20.0, discretization=fb.AssumedModes(1, tip="free")
    )
    model = joint_arm(beam=beam, payload=fb.Payload("load", 0.3), drive=(DCMotor("motor"),))
    old = fb.assemble(model, symbolic=("load.mass",))
    T = np.array([[1.0, -2.0], [0.3, 1.0]])
    new = change_coordinates(old, T, ("a", "b"))
    assert new.x.names == ("a", "b", "der(a)", "der(b)", "motor.current")
    q, v, current, p = np.array([0.4, 0.02]), np.array([1.0, 0.1]), 0.7, [0.5]
    both = [(old, q, v), (new, np.linalg.solve(T, q), np.linalg.solve(T, v))]
    rates = [d.forward_dynamics(np.r_[qs, vs, current], [2.0], p).full().ravel() for d, qs, vs in both]
    np.testing.assert_allclose(T @ rates[1][2:4], rates[0][2:4], rtol=1e-11)
    assert rates[1][4] == pytest.approx(rates[0][4], rel=1e-13)
    rest = fb.equilibrium(old, x={"joint.angle": 0.3})
    again = fb.equilibrium(new, x=dict(zip(("a", "b"), np.linalg.solve(T, rest.x[:2]), strict=True)))
    assert again["motor.voltage"] == pytest.approx(rest["motor.voltage"], rel=1e-9)


def test_a_plan_costs_the_same():
    old = subudhi_morris(modes=0, joints="rigid")
    new = change_coordinates(old, [[1.0, 0.0], [-1.0, 1.0]], ("upper", "fore"))
    goals = ({"joint1.angle": 0.8, "joint2.angle": 0.4}, {"upper": 0.8, "fore": 1.2})
    costs = []
    for dae, goal in zip((old, new), goals, strict=True):
        start = dict.fromkeys(goal, 0.0)
        problem = optim.RestToRest(start=start, goal=goal, duration=1.0)
        costs.append(optim.plan(dae, problem).objective)
    assert costs[1] == pytest.approx(costs[0], rel=1e-7)


@pytest.mark.parametrize(
    ("T", "names", "units", "message"),
    [
        (np.eye(3), ("a", "b"), None, r"T has shape \(3, 3\); must be \(2, 2\)"),
        ("wide", ("a", "b"), None, "T = 'wide'; must be an array of numbers"),
        ([[1, 2], [2, 4]], ("a", "b"), None, "T is singular"),
        ([[1, 0], [2, 0]], ("a", "b"), None, "T is singular"),
        ([[1, np.nan], [2, 0]], ("a", "b"), None, "T must be finite"),
        (np.eye(2), ("a",), None, r"names = \('a',\); must be 2 strings"),
        (np.eye(2), "ab", None, "names = 'ab'; must be 2 strings"),
        (np.eye(2), ("a", "a"), None, "names: a; each name must be unique"),
        (np.eye(2), ("a", "payload.x"), None, "names: payload.x; each name must be unique"),
        (np.eye(2), ("a", "b"), ("rad",), "units = .*; must be 2 strings"),
    ],
)
def test_what_is_no_change_of_coordinates_is_refused(T, names, units, message):
    dae = subudhi_morris(modes=0, joints="rigid")
    with pytest.raises(ParameterError, match=f"change_coordinates: {message}"):
        change_coordinates(dae, T, names, units)


def test_very_small_columns_are_no_reason_to_refuse():
    """Millimetres beside kilometres: only the directions of the new coordinates must be independent."""
    dae = subudhi_morris(modes=0, joints="rigid")
    new = change_coordinates(dae, np.diag([1e-9, 1e6]), ("a", "b"))
    np.testing.assert_allclose(
        new.mass_matrix([0, 0], []).full() / np.outer([1e-9, 1e6], [1e-9, 1e6]), dae.mass_matrix([0, 0], []).full()
    )
