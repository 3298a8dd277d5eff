"""Force elements of every kind on random arms, planar and in space, against their forces written out in world axes."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import flexblocks as fb
from arms.pulled_arms import ELEMENTS, Written, pulled
from arms.random_arms import Arm, arms


@pytest.mark.parametrize("flat", [True, False])
@settings(max_examples=2, deadline=None)
@given(data=st.data(), seed=st.integers(0, 10**6))
def test_forces_powers_and_energies(flat, data, seed):
    check(data.draw(arms(links=2, modes=1, planar=flat)), flat, seed, tuple(ELEMENTS)[seed % 3 :: 3])


@pytest.mark.slow
@settings(max_examples=2, deadline=None)
@given(data=st.data(), seed=st.integers(0, 10**6))
def test_forces_powers_and_energies_of_longer_arms(data, seed):
    check(data.draw(arms(links=4, modes=2)), False, seed)


def check(arm: Arm, flat: bool, seed: int, only: tuple[str, ...] = tuple(ELEMENTS)) -> None:
    """Check an arm with elements between random places against the same arm without, and their forces by hand."""
    case = pulled(arm, flat, seed, only)
    dae, bare = case.dae, case.bare
    q, v, a, _ = arm.random_state(dae, seed)
    numbers, n = np.random.default_rng(seed), len(q)
    w = dae.x.start[2 * n :] * numbers.uniform(0.7, 1.3, len(dae.x) - 2 * n)
    x, u = np.r_[q, v, w], numbers.uniform(-2, 2, len(dae.u))
    written = Written(case, dae.x.symbol, dae.z.symbol, dae.u.symbol)
    by_hand = ca.Function(
        "by_hand",
        [dae.x.symbol, dae.u.symbol],
        [ca.gradient(written.power, written.virtual), written.stored, written.lost],
    )
    force, stored, lost = (value.full().ravel() for value in by_hand(x, u))
    # Generalised forces: what inverse dynamics and the inputs' forces have that the bare arm does not.
    own = [dae.u.index(name) for name in bare.u.names]
    plain = bare.inverse_dynamics(q, v, a, []) - bare.input_force(np.r_[q, v], u[own], [])
    total = dae.inverse_dynamics(q, v, a, []) - dae.input_force(x, u, [])
    size = max(1.0, np.abs(plain.full()).max(), np.abs(force).max())
    np.testing.assert_allclose((plain - total).full().ravel(), force, atol=1e-10 * size)
    # Inverse dynamics undo forward dynamics, by recursion and in closed form.
    for way in (dae, fb.assemble(dae.model, dynamics="closed-form")):
        rates = way.forward_dynamics(x, u, []).full().ravel()
        left = dae.inverse_dynamics(q, v, rates[n : 2 * n], []) - dae.input_force(x, u, [])
        assert np.abs(left.full()).max() < 1e-9 * size
    # Energy, and its rate: power of the applied forces less what is lost.
    kinetic, potential = (float(value) for value in dae.energy(x, []))
    assert potential - float(bare.energy(np.r_[q, v], [])[1]) == pytest.approx(stored[0], abs=1e-10 * size)
    undamped = fb.assemble(arm.without_damping().model)
    before = bare.inverse_dynamics(q, v, a, []) - undamped.inverse_dynamics(q, v, a, [])
    balance = ca.Function(
        "balance",
        [dae.x.symbol, dae.u.symbol],
        [ca.jtimes(ca.sum1(ca.vertcat(*dae.energy(dae.x.symbol, []))), dae.x.symbol, dae.expressions.rate)],
    )
    power = float(dae.motion(x, [], u, [])[0][-1])
    terms = [power, float(ca.dot(v, before)), lost[0]]
    assert power == pytest.approx(float(ca.dot(v, dae.input_force(x, u, []))), abs=1e-9 * size * np.abs(v).max())
    error = float(balance(x, u)) - terms[0] + terms[1] + terms[2]
    assert abs(error) < 1e-9 * max(1.0, *np.abs(terms), kinetic, size * np.abs(v).max())


def test_a_thruster_behind_a_turned_frame_pushes_along_that_frame():
    """Nothing else of it depends on how it stands: its components, and they alone, belong to its axes."""
    model = fb.Model("boom with a thruster")
    ground, hinge = model.add(fb.Ground("ground")), model.add(fb.Revolute("hinge"))
    boom = model.add(fb.RigidLink("boom", 2.0, 1.0))
    bracket = model.add(fb.FixedTransform("bracket", rotation=(0.0, 0.0, 0.7)))
    jet = model.add(fb.WorldForce("jet", resolve_in="frame"))
    ports = [ground.frame_b, hinge.frame_a, hinge.frame_b, boom.frame_a, boom.frame_b, bracket.frame_a]
    for inner, outer in zip([*ports[::2], bracket.frame_b], [*ports[1::2], jet.frame_a], strict=True):
        model.connect(inner, outer)
    moments = [float(fb.assemble(model).input_force([0.5, 0.0], push, [])) for push in np.eye(3)]
    np.testing.assert_allclose(moments, [2.0 * np.sin(0.7), 2.0 * np.cos(0.7), 0.0], atol=1e-12)
