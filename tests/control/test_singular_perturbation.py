"""Two time scales of an arm: against the full model, the rigid arm, two masses; Subudhi & Morris 2002."""

from __future__ import annotations

import runpy

import numpy as np
import pytest

import flexblocks as fb
from arms.driven import rotor, two_masses, upright_arm
from arms.library import subudhi_morris
from flexblocks import control
from flexblocks.errors import FlexblocksWarning, NameUnknownError, ParameterError
from repository import EXAMPLES

JOINTS = ("joint1.angle", "joint2.angle")
GOAL = dict(zip(JOINTS, (np.pi / 2, np.pi / 6), strict=True))
AT_ROTORS = {"joint1.angle": "rotor1.angle", "joint2.angle": "rotor2.angle"}
# Independent implementation in world axes by quadrature, two clamped-mass modes as printed, stretched out [rad/s].
FREQUENCIES = [13.5853, 25.8197, 63.6178, 187.85, 918.33, 2488.7]


@pytest.fixture(scope="module")
def dae():
    return subudhi_morris(shapes="as-printed")


@pytest.fixture(scope="module")
def split(dae):
    return control.singular_perturbation(dae)


def resting(posture):
    return posture | {AT_ROTORS[name]: angle for name, angle in posture.items()}


def run(dae, law):
    closed = control.close_loop(dae, law)
    ways = {name: control.quintic(0.0, goal, 2.0) for name, goal in GOAL.items()}
    found = fb.simulate(closed, np.linspace(0, 4, 401), control.follow(closed, ways))
    s = np.minimum(found.t / 2, 1.0)
    shape = 10 * s**3 - 15 * s**4 + 6 * s**5
    errors = [np.abs(found[name] - goal * shape).max() for name, goal in GOAL.items()]
    tips = [np.abs(found[f"link{i}.tip_deflection_y"]).max() for i in (1, 2)]
    return closed, found, errors, tips


@pytest.mark.parametrize("elbow", [0.0, 1.2])
def test_the_fast_subsystem_has_the_flexible_frequencies_of_the_full_model(dae, split, elbow):
    full = fb.linearize(dae, resting({"joint1.angle": 0.7, "joint2.angle": elbow})).modes().frequency
    fast = split.fast({"joint1.angle": 0.7, "joint2.angle": elbow}).modes().frequency
    assert fast == pytest.approx(full[full > 1.0], rel=1e-9)
    if not elbow:
        assert fast == pytest.approx(FREQUENCIES, rel=2e-5)


def test_the_fast_subsystem_is_eq_67_corrected(dae, split):
    """Rows of q'' and (alpha - theta)'' by H = M^-1 over (theta, q), with J, K_s and K_w apart."""
    fast = split.fast(GOAL)
    q = np.zeros(8)
    for name, angle in resting(GOAL).items():
        q[dae.q_names.index(name)] = angle
    M = dae.mass_matrix(q, []).full()
    theta, alpha = ([dae.q_names.index(f"{part}{i}.angle") for i in (1, 2)] for part in ("joint", "rotor"))
    bend = [i for i, name in enumerate(dae.q_names) if "bending" in name]
    assert np.allclose(M[np.ix_(alpha, alpha)], 0.02 * np.eye(2))
    both = [*theta, *bend]
    H = np.linalg.inv(M[np.ix_(both, both)])
    K = fb.linearize(dae, resting(GOAL)).structure.stiffness
    Kw, Ks, Jinv = K[np.ix_(bend, bend)], 100.0 * np.eye(2), 50.0 * np.eye(2)
    expected = np.block([[-(H[:2, :2] + Jinv) @ Ks, H[:2, 2:] @ Kw], [H[2:, :2] @ Ks, -H[2:, 2:] @ Kw]])
    names = [*(f"rotor{i}.angle - joint{i}.angle" for i in (1, 2)), *(dae.q_names[i] for i in bend)]
    order = [fast.states.index(name) for name in names]
    assert np.allclose(fast.A[6:, :6][np.ix_(order, order)], expected, rtol=1e-9, atol=1e-9 * np.abs(expected).max())
    assert np.allclose(fast.B[6:][order], np.vstack([Jinv, np.zeros((4, 2))]), atol=1e-9)


def test_the_slow_subsystem_is_the_rigid_arm(split):
    rigid = subudhi_morris(modes=0, joints="rigid")
    rng = np.random.default_rng(3)
    x, u = rng.normal(size=4), rng.normal(size=2)
    assert split.slow.q_names == rigid.q_names
    expected = rigid.forward_dynamics(x, u, []).full()
    assert np.allclose(split.slow.forward_dynamics(x, u, []).full(), expected, rtol=1e-10)


def test_two_masses_have_the_closed_form():
    """Deformation of a spring between J1 and J2: k (1/J1 + 1/J2), and the spring bears what J2 needs."""
    arm = two_masses(stiffness=20.0)
    split = control.singular_perturbation(arm)
    fast = split.fast()
    k, c, J1, J2 = 20.0, 0.05, 0.1, 0.3
    assert fast.A[1] == pytest.approx([-k * (1 / J1 + 1 / J2), -c * (1 / J1 + 1 / J2)])
    assert split.slow.mass_matrix([0.0], []).full() == pytest.approx(J1 + J2)
    (slow,) = split.slow.q_names
    t = np.linspace(0.0, 1.0, 11)
    found = split.quasi_static({slow: lambda t: t**2}, t)
    wheel, load = found["wheel.angle"][1], found["load.angle"][1]
    assert wheel - load == pytest.approx(np.full(11, J2 * 2.0 / k))
    assert found[slow][1] == pytest.approx(t**2)


def test_the_manifold_at_rest_is_the_sag_under_gravity():
    arm = upright_arm(modes=1)
    split = control.singular_perturbation(arm)
    assert split.deformations == ("link1.bending_y[1]", "link2.bending_y[1]")
    still = split.quasi_static({"joint1.angle": 0.4, "joint2.angle": -0.3}, [0.0])
    at = {name: float(values[0]) for name, (_, values) in still.items()}
    rest = fb.equilibrium(arm, x={"joint1.angle": 0.4, "joint2.angle": -0.3})
    for name in split.deformations:
        assert at[name] == pytest.approx(rest[name], rel=0.05)  # to first order in the deformation
        assert abs(at[name]) > 1e-4


def test_slow_control_alone_is_unstable_and_a_fast_damper_stabilizes_it(dae, split):
    slow = control.ComputedTorque(5.0, 2.0, model=split.slow)
    at = resting(GOAL)

    def growth(law):
        closed = control.close_loop(dae, law)
        references = {f"reference.{name}": angle for name, angle in at.items() if f"reference.{name}" in closed.u}
        return np.linalg.eigvals(fb.linearize(closed, at | references).A).real.max()

    assert growth(slow) == pytest.approx(9.5, abs=0.05)
    at_rotors = control.ComputedTorque(5.0, 2.0, model=split.slow, measured=AT_ROTORS)
    assert growth(at_rotors) == pytest.approx(-0.0022, abs=2e-4)
    assert growth(control.SlowFast(slow, control.FastFeedback.damper(split, 1.0))) < -0.5


@pytest.mark.slow
def test_composite_control_tracks_the_quintic(dae, split):
    slow = control.ComputedTorque(5.0, 2.0, model=split.slow)
    fast = control.FastFeedback.damper(split, 1.0)
    closed, found, errors, tips = run(dae, control.SlowFast(slow, fast))
    # Better than 53.8 and 18.8 mm, 0.143 and 0.094 rad of the independent implementation (linearised tips).
    assert np.all(np.array(tips) < [0.0538, 0.0188])
    assert np.all(np.array(errors) < [0.143, 0.094])
    _, poles = control.poles_along(closed, found, 20)
    assert poles.real.max() < -0.2
    scales = control.time_scales(split, found, slow, fast)
    assert scales.slow == pytest.approx(np.sqrt(5.0), rel=1e-6)
    assert scales.ratio == pytest.approx(6.0, abs=0.1)


def test_a_split_that_is_none_warns(split):
    with pytest.warns(FlexblocksWarning, match="no two time scales"):
        found = control.time_scales(split, [GOAL], control.ComputedTorque(500.0, 20.0, model=split.slow))
    assert found.ratio < 1


def test_fast_gains_by_regulator_and_by_poles(split):
    law = control.FastFeedback.lqr(split, {"elastic_energy": 10.0, "kinetic_energy": 10.0}, at=GOAL)
    fast = split.fast(GOAL)
    assert np.linalg.eigvals(fast.A - fast.B @ law.K).real.max() < -0.1
    w = fast.modes().frequency
    wanted = np.concatenate([w * (-0.05 + 1j), w * (-0.05 - 1j)])
    placed = control.FastFeedback.poles(split, wanted, at=GOAL)
    got = np.linalg.eigvals(fast.A - fast.B @ placed.K)
    assert np.sort_complex(got) == pytest.approx(np.sort_complex(wanted), rel=1e-4)


def test_only_some_blocks_may_be_stiff(dae):
    springs = control.singular_perturbation(dae, stiff=("spring1", "spring2"))
    assert [name for name in springs.slow.q_names if "bending" in name]
    assert springs.deformations == ("rotor1.angle - joint1.angle", "rotor2.angle - joint2.angle")
    rotors = control.singular_perturbation(dae, slow=("rotor1.angle", "rotor2.angle"))
    assert rotors.slow.q_names == ("rotor1.angle", "rotor2.angle")
    assert rotors.fast().modes().frequency == pytest.approx(FREQUENCIES, rel=2e-5)


def test_refusals(dae, split):
    with pytest.raises(NameUnknownError, match=r"spring3.*Did you mean spring"):
        control.singular_perturbation(dae, stiff=["spring3"])
    with pytest.raises(NameUnknownError, match=r"joint3\.angle.*Did you mean joint"):
        control.singular_perturbation(dae, slow=["joint3.angle", "joint1.angle"])
    with pytest.raises(ParameterError, match=r"must be 2 coordinates.*joint1\.angle, joint2\.angle"):
        control.singular_perturbation(dae, slow=["joint1.angle", "rotor1.angle"])
    with pytest.raises(ParameterError, match="no block of 'rotor' stores energy"):
        control.singular_perturbation(rotor())
    with pytest.raises(ParameterError, match="closed loop"):
        control.singular_perturbation(control.close_loop(dae, control.FastFeedback.damper(split, 1.0)))
    with pytest.raises(NameUnknownError, match=r"Did you mean joint1\.angle"):
        split.fast({"joint1.angel": 1.0})
    with pytest.raises(ParameterError, match="must be a finite array"):
        control.FastFeedback(split, np.zeros((2, 3)))
    with pytest.raises(ParameterError, match="act on none of"):
        control.FastFeedback.damper(control.singular_perturbation(upright_arm()), 1.0)
    with pytest.raises(ParameterError, match="must be the slow coordinates"):
        split.quasi_static({"joint1.angle": 0.0}, [0.0])


@pytest.mark.slow
def test_the_example_draws_the_figures(tmp_path):
    path = EXAMPLES / "subudhi_morris_2002.py"
    runpy.run_path(str(path))["main"](tmp_path)
    assert sorted(file.stem for file in tmp_path.glob("*.png")) == [
        *(f"figure{i}" for i in range(4, 9)),
        "poles",
        "poles_tuned",
    ]
