"""Laws of mechanics on random arms: planar and in space, rigid and flexible, branched, driven, geared, damped."""

from __future__ import annotations

from dataclasses import replace

import casadi as ca
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

import flexblocks as fb
from arms.random_arms import ALL_BEAMS, BEAMS, Arm, Segment, arms
from oracles.oracle import lagrange, quaternion

seeds = st.integers(0, 2**32 - 1)
with_an_oracle = pytest.mark.parametrize("beams", [(kind,) for kind in BEAMS], ids=BEAMS)
each_kind_of_beam = pytest.mark.parametrize(
    "beams", [*((kind,) for kind in BEAMS), pytest.param(("strains",), marks=pytest.mark.slow)], ids=ALL_BEAMS
)


def close(actual, expected, tolerance=1e-10):
    """Compare arrays relative to the largest entry of what is expected, or to 1."""
    actual, expected = np.asarray(actual, dtype=float), np.asarray(expected, dtype=float)
    return np.abs(actual - expected).max(initial=0.0) <= tolerance * max(1.0, np.abs(expected).max(initial=0.0))


def input_power(arm: Arm, dae: fb.DAE, v: np.ndarray, u: np.ndarray) -> float:
    """Return the sum of effort times rate of what each source turns [W], by hand."""
    rate = dict(zip(dae.q_names, v, strict=True))
    power = 0.0
    for segment in arm.segments:
        for source in segment.drive:
            if isinstance(source, fb.ForceSource):
                power += u[dae.u.index(f"{source.name}.force")] * rate[f"{segment.joint.name}.displacement"]
            elif isinstance(source, fb.TorqueSource):
                power += u[dae.u.index(f"{source.name}.torque")] * motor_rate(segment, rate)
    return power


def motor_rate(segment: Segment, rate: dict[str, float]) -> float:
    """Return the rate of the shaft on the motor's side."""
    if segment.rotor and f"{segment.rotor.name}.angle" in rate:
        return rate[f"{segment.rotor.name}.angle"]
    ratio = segment.gear_ratio
    return ratio * rate[f"{segment.joint.name}.angle"]


def friction_power(arm: Arm, dae: fb.DAE, q: np.ndarray, v: np.ndarray) -> float:
    """Return what the dampers of joints and springs take [W], by hand."""
    rate = dict(zip(dae.q_names, v, strict=True))
    power = 0.0
    for segment in arm.segments:
        if isinstance(segment.joint, fb.Spherical):
            at = [dae.q_names.index(f"{segment.joint.name}.rotation_{k}") for k in "xyz"]
            # Twice the rate of a unit quaternion is as large as the angular velocity.
            r = ca.SX.sym("r", 3)
            turning = ca.Function("rate", [r], [ca.jacobian(quaternion(r), r)])(q[at]).full() @ v[at]
            power += segment.joint.damping * 4 * turning @ turning
            continue
        slides = isinstance(segment.joint, fb.Prismatic)
        names = (
            [f"{segment.joint.name}.displacement"] if slides else [f"{hinge.name}.angle" for hinge in segment.hinges]
        )
        power += segment.joint.damping * sum(rate[name] ** 2 for name in names)
        joint_rate = rate[names[0]]
        for spring in segment.drive:
            if isinstance(spring, fb.TorsionalSpring):
                ratio = segment.gear_ratio
                far = rate[f"{segment.rotor.name}.angle"] / ratio if segment.rotor else 0.0
                power += spring.damping * (joint_rate - far) ** 2
    return power


@with_an_oracle
@settings(max_examples=4)
@given(st.data(), seeds)
def test_equations_are_lagranges_in_world_axes(beams, data, seed):
    arm = data.draw(arms(links=3, modes=2, beams=beams, particles=True))
    assert_equations_are_lagranges(arm.without_damping(), seed)


@pytest.mark.slow
@pytest.mark.parametrize(
    "beam",
    [fb.AssumedModes(2, tip="auto"), fb.FiniteElements(3), fb.RigidSegments(3)],
    ids=lambda kind: type(kind).__name__,
)
def test_equations_of_beams_that_bend_in_both_planes(beam):
    """Two beams in space, the second on the first at a third of its length, loads at the ends."""

    def segment(i: int, carrier: int | None, station: float | None, axis: tuple[float, ...]) -> Segment:
        stiffness = {"flexural_rigidity": 10.0 * i, "flexural_rigidity_z": 25.0}
        link = fb.FlexibleBeam(f"link{i}", 0.9, 0.7, **stiffness, discretization=beam, bending="yz")
        load = fb.Payload(f"load{i}", 0.4, np.diag([0.02, 0.03, 0.025]), center=(0.05, 0.02, -0.03))
        return Segment(carrier, station, fb.Revolute(f"joint{i}", axis=axis), (), False, link, ((None, load),))

    arm = Arm((segment(1, None, None, (0.0, 0.6, 0.8)), segment(2, 0, 0.3, (0.0, 1.0, 0.0))), (1.0, -9.0, 3.0))
    for seed in range(2):
        assert_equations_are_lagranges(arm, seed)


def assert_equations_are_lagranges(arm: Arm, seed: int) -> None:
    """Compare M, h and energies with those by brute force in a random state."""
    dae = fb.assemble(arm.model)
    q, v, _, _ = arm.random_state(dae, seed)
    M, h, T, V = lagrange(arm, dae.q_names)(q, v)
    kinetic, potential = dae.energy(np.r_[q, v], [])
    assert close(dae.mass_matrix(q, []), M, 1e-11)
    assert close(dae.inverse_dynamics(q, v, np.zeros_like(v), []), h, 1e-11)
    assert close(kinetic, T, 1e-11)
    assert close(potential, V, 1e-11)


@each_kind_of_beam
@settings(max_examples=3)
@given(st.data(), seeds)
def test_energy_changes_by_the_power_of_inputs_less_dissipation(beams, data, seed):
    arm = data.draw(arms(beams=beams))
    dae, still = fb.assemble(arm.model), fb.assemble(arm.without_damping().model)
    q, v, a, u = arm.random_state(dae, seed)
    x = np.r_[q, v]
    rates = dae.forward_dynamics(x, u, [])
    energy = ca.Function("energy", [dae.x.symbol], [sum(dae.energy(dae.x.symbol, []))])
    terms = energy.jacobian()(x, 0).full().ravel() * rates.full().ravel()
    # The damping forces: what the arm needs more than the same arm without dampers.
    damping = dae.inverse_dynamics(q, v, a, []) - still.inverse_dynamics(q, v, a, [])
    dissipated = float(ca.dot(damping, v))
    assert dissipated >= 0
    # What springs take, masses give: large terms cancel, and the sum is as exact as they are.
    assert abs(terms.sum() - (input_power(arm, dae, v, u) - dissipated)) <= 1e-12 * max(1.0, np.abs(terms).sum())
    if not any(getattr(segment.link, "damping_ratio", 0.0) for segment in arm.segments):
        assert close(dissipated, friction_power(arm, dae, q, v))


@settings(max_examples=4)
@given(arms(), seeds)
def test_mass_matrix_is_that_of_the_kinetic_energy(arm, seed):
    dae = fb.assemble(arm.model)
    q, v, _, _ = arm.random_state(dae, seed)
    M = dae.mass_matrix(q, []).full()
    kinetic, _ = dae.energy(np.r_[q, v], [])
    assert close(kinetic, v @ M @ v / 2, 1e-12)
    assert close(M, M.T, 1e-14)
    assert np.linalg.eigvalsh(M)[0] > 0


@each_kind_of_beam
@settings(max_examples=3)
@given(st.data(), seeds)
def test_forward_and_inverse_dynamics_invert_each_other(beams, data, seed):
    arm = data.draw(arms(beams=beams))
    dae = fb.assemble(arm.model)
    q, v, a, u = arm.random_state(dae, seed)
    M, h = dae.mass_matrix(q, []), dae.inverse_dynamics(q, v, np.zeros_like(v), [])
    assert close(dae.inverse_dynamics(q, v, a, []), h + M @ a)
    rates = dae.forward_dynamics(np.r_[q, v], u, []).full().ravel()
    assert np.array_equal(rates[: len(v)], v)
    force = (dae.inverse_dynamics(q, v, rates[len(v) :], []) - dae.input_force(np.r_[q, v], u, [])).full()
    # What is left is rounding of the terms that cancel: inertia against springs.
    assert np.abs(force).max() <= 1e-10 * max(1.0, np.abs(h.full()).max())


@settings(max_examples=3)
@given(arms(links=3, modes=2), seeds)
def test_symbolic_parameters_change_nothing(arm, seed):
    folded, symbolic = fb.assemble(arm.model), fb.assemble(arm.model, symbolic="all")
    q, v, a, u = arm.random_state(folded, seed)
    p = symbolic.p.start
    assert len(p) > 0
    assert close(symbolic.mass_matrix(q, p), folded.mass_matrix(q, []), 1e-12)
    assert close(symbolic.inverse_dynamics(q, v, a, p), folded.inverse_dynamics(q, v, a, []), 1e-12)
    assert close(symbolic.output(np.r_[q, v], u, p), folded.output(np.r_[q, v], u, []), 1e-12)


@pytest.mark.slow
@settings(max_examples=4)
@given(arms(planar=True), seeds)
def test_planar_arm_is_the_same_in_every_plane_of_space(arm, seed):
    rng = np.random.default_rng(seed)
    turn = Rotation.from_rotvec(rng.normal(size=3) * 2)
    laid = replace(
        arm, base=(fb.FixedTransform("base", rotation=turn.as_rotvec()),), gravity=tuple(turn.apply(arm.gravity))
    )
    flat, tilted = fb.assemble(arm.model), fb.assemble(laid.model)
    q, v, a, u = arm.random_state(flat, seed)
    assert tilted.q_names == flat.q_names
    assert close(tilted.mass_matrix(q, []), flat.mass_matrix(q, []))
    assert close(tilted.inverse_dynamics(q, v, a, []), flat.inverse_dynamics(q, v, a, []))
    assert close(tilted.forward_dynamics(np.r_[q, v], u, []), flat.forward_dynamics(np.r_[q, v], u, []), 1e-9)
    here, there = (
        dict(zip(d.y.names, d.output(np.r_[q, v], u, []).full().ravel(), strict=True)) for d in (flat, tilted)
    )
    for end in {name.rpartition(".")[0] for name in here if name.endswith(".z")}:
        place, laid_place = ([y[f"{end}.{axis}"] for axis in "xyz"] for y in (here, there))
        assert place[2] == 0
        assert close(laid_place, turn.apply(place))


def quarter_turn(vector: tuple[float, ...]) -> tuple[float, ...]:
    """Turn a vector about x, from y to z."""
    x, y, z = vector
    return (x, -z, y)


def standing(segment: Segment) -> Segment:
    """Return a segment of an arm in the xy plane, rebuilt to move in the xz plane."""

    def body(block):
        if isinstance(block, fb.LumpedMass) or (isinstance(block, fb.RigidLink) and block.inertia is None):
            return block
        moved = {"inertia": ((0, 0, 0), (0, block.inertia, 0), (0, 0, block.inertia))}
        return replace(
            block, **moved, **({"center": quarter_turn(block.center)} if isinstance(block, fb.Payload) else {})
        )

    joint = type(segment.joint)(segment.joint.name, quarter_turn(segment.joint.direction), segment.joint.damping)
    drive = (replace(b, axis=quarter_turn(b.axis)) if isinstance(b, fb.Rotor) else b for b in segment.drive)
    if isinstance(segment.link, fb.FlexibleBeam):
        link = replace(segment.link, bending="z", flexural_rigidity_z=None)
    else:
        link = body(segment.link)
    loads = tuple((station, body(load)) for station, load in segment.loads)
    return replace(segment, joint=joint, drive=tuple(drive), link=link, loads=loads)


@pytest.mark.slow
@settings(max_examples=4)
@given(arms(planar=True), seeds)
def test_bending_along_z_is_bending_along_y_seen_from_the_side(arm, seed):
    upright = Arm(tuple(standing(segment) for segment in arm.segments), quarter_turn(arm.gravity))
    flat, tall = fb.assemble(arm.model), fb.assemble(upright.model)
    assert tall.q_names == tuple(name.replace("_y[", "_z[") for name in flat.q_names)
    q, v, a, _ = arm.random_state(flat, seed)
    assert close(tall.mass_matrix(q, []), flat.mass_matrix(q, []))
    assert close(tall.inverse_dynamics(q, v, a, []), flat.inverse_dynamics(q, v, a, []))
    assert close(sum(tall.energy(np.r_[q, v], [])), sum(flat.energy(np.r_[q, v], [])))
