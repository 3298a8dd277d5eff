"""Errors of meshes: against simulations of single intervals; arms that need feedback, and get it."""

import warnings
from dataclasses import replace

import numpy as np
import pytest

import flexblocks as fb
from arms.cranes import crane
from arms.library import subudhi_morris
from arms.one_link import joint_arm
from arms.turns import hinge, swing
from flexblocks import control, optim
from flexblocks.optim.model.read_solution import input_polynomials
from flexblocks.optim.model.trajectories import phase_trajectories
from flexblocks.optim.verification.mesh_errors.local_errors import deviation_energy, displaced


def raise_boom(duration=12.0, start=1.0, goal=1.5, **more):
    return optim.RestToRest({"joint1.angle": start}, {"joint1.angle": goal}, duration, input_ends="holding", **more)


@pytest.fixture(scope="module")
def raised():
    return optim.plan(crane(), raise_boom(), intervals=20)


def simulated(plan, k):
    """By how much a simulation of interval k from the plan's own state ends beside the plan's next one."""
    (traj,) = phase_trajectories(plan.pyomo_model)[0]
    dae, t = traj.transcription.dae, traj.mesh.times
    m = plan.pyomo_model
    x = [np.array([var[i, name].value for var in (m.q, m.v) for name in dae.q_names]) for i in (k, k + 1)]
    end = fb.simulate(dae, np.array([t[k], (t[k] + t[k + 1]) / 2, t[k + 1]]), input_polynomials(traj), x[0])
    return end.x[-1] - x[1]


@pytest.mark.parametrize(
    "options",
    [{}, pytest.param({"quasi_static": "auto"}, marks=pytest.mark.slow)],
)
def test_local_errors_are_those_of_a_simulation(options):
    """Modes of 40 to 300 rad/s on intervals of 0.6 s, in fall and rise: eleven periods in one."""
    plan = optim.plan(crane(), raise_boom(), intervals=20, **options)
    (errors,) = plan.mesh_errors.phases[0]
    n = len(plan.transcribed.dae.q_names)
    for k in (0, 9, 19):
        deviation = simulated(plan, k)
        for part in (slice(n), slice(n, None)):
            size = np.abs(deviation[part]).max()
            np.testing.assert_allclose(errors.deviation[k][part], deviation[part], atol=0.1 * size + 1e-9)


def test_errors_grow_as_those_of_an_inverted_pendulum():
    """Near the top, 1 kg at 0.5 m with 0.3 kg m2: exp(T sqrt(m g l / J)) for equal shares of angle and rate."""
    duration, rate = 2.0, np.sqrt(9.81 * 0.5 / 0.3)
    problem = optim.RestToRest({"joint1.angle": 1.52}, {"joint1.angle": 1.62}, duration, input_ends="holding")
    plan = optim.plan(hinge(9.81), problem, intervals=20)
    # The scaling weighs an angle with 1/T: from (1, 0) to both
    grown = np.hypot(np.cosh(rate * duration), np.hypot(rate * duration, 1.0) * np.sinh(rate * duration))
    assert plan.mesh_errors.growth == pytest.approx(grown, rel=0.5)
    assert plan.mesh_errors.needs_feedback
    assert optim.plan(hinge(0.0), problem, intervals=20).mesh_errors.growth < 3


def test_arm_that_stands_up_is_replayed_with_feedback(raised):
    errors, replay = raised.mesh_errors, raised.replay()
    assert errors.needs_feedback
    assert not errors.is_too_coarse
    assert "needs feedback" in raised.summary()
    assert replay.tip_miss < errors.allowed.miss < 0.1 * replay.without_feedback.tip_miss
    assert replay.energy_left < errors.allowed.energy
    alone = raised.replay(law=None)
    assert alone.feedback is None
    assert alone.tip_miss == pytest.approx(replay.without_feedback.tip_miss, rel=0.1)
    assert "with feedback (time-varying regulator of the plan): misses" in str(replay)
    assert "; without: misses" in str(replay)
    # What comes out are the arm's own variables
    assert replay.trajectory.names["u"] == ("motor1.torque",)
    assert np.abs(replay.trajectory["motor1.torque"][-1] / raised.trajectory["motor1.torque"][-1] - 1) < 5e-3


@pytest.mark.slow
def test_any_law_can_follow_the_plan(raised):
    law = control.Feedforward() + control.PD({"rotor1.angle": "motor1.torque"}, kp=2e7, kd=2e6)
    replay = raised.replay(law=law)
    assert replay.feedback == "Sum"
    assert replay.tip_miss < 0.01 * replay.without_feedback.tip_miss
    with pytest.raises(optim.ProblemError, match='law = \'lqr\'; must be "auto", "tracking", None'):
        raised.replay(law="lqr")


@pytest.mark.slow
def test_stable_arm_is_replayed_as_planned():
    plan = optim.plan(hinge(), swing(1.0, 2.0), intervals=10)
    assert plan.replay().feedback is None
    assert plan.replay(law="tracking").tip_miss < 1e-6


def test_coarse_mesh_is_not_called_converged_without_a_warning():
    """What the errors amount to is what the replay misses by; 46 mm of 1 m were, without a word."""
    arm = subudhi_morris(links=1)
    problem = optim.RestToRest({"joint1.angle": 0.0}, {"joint1.angle": 1.5}, 1.0, input_ends="holding")
    with pytest.warns(optim.PlanWarning, match="its mesh is too coarse: intervals end up to .* mm and .* J off"):
        coarse = optim.plan(arm, problem, intervals=8)
    assert "too coarse" in coarse.summary()
    errors, replay = coarse.mesh_errors, coarse.replay()
    assert errors.drift_energy == pytest.approx(replay.energy_left, rel=0.3)
    assert 0.5 * replay.tip_miss < errors.drift < 5 * replay.tip_miss
    fine = optim.plan(arm, problem, intervals=40)
    assert not fine.mesh_errors.is_too_coarse


def test_inputs_that_jump_are_named_where_the_mesh_suffers_from_them():
    """A torque at the root of a beam, as in the README: a jump excites 34 Hz, which this mesh does not resolve."""
    modes = fb.AssumedModes(2, tip="auto")
    beam = fb.FlexibleBeam("link", 0.5, linear_density=0.2, flexural_rigidity=1.0, discretization=modes)
    load, motor = fb.Payload("payload", mass=0.1, inertia=0.005), fb.TorqueSource("motor", limit=2.0)
    arm = fb.assemble(joint_arm(beam=beam, payload=load, gravity=0.0, drive=(motor,)))
    ends = {"joint.angle": 0.0}, {"joint.angle": 1.5}, 2.0
    with pytest.warns(optim.PlanWarning, match=r"too coarse.*a jump excites every mode.*input_ends=\"holding\""):
        jumping = optim.plan(arm, optim.RestToRest(*ends), intervals=40)
    with warnings.catch_warnings():
        warnings.simplefilter("error", optim.PlanWarning)
        steady = optim.plan(arm, optim.RestToRest(*ends, input_ends="holding"), intervals=40)
    assert jumping.replay().energy_left > 30 * steady.replay().energy_left


@pytest.mark.slow
def test_intervals_are_halved_where_their_errors_are():
    """The first of seven takes half of the time of a swing against gravity."""
    problem = swing(1.5, 3.0, input_ends="holding")
    options = {"intervals": 7, "spacing": [[6, 1, 1, 1, 1, 1, 1]], "scheme": "lobatto", "degree": 6}
    plan = optim.plan(hinge(9.81), problem, **options, refine=optim.Criteria(miss=1e-8))
    assert plan.status == "optimal"
    shares = plan.transcription.mesh.shares
    np.testing.assert_allclose(shares[-4:], 1 / 12)
    assert shares[0] < 0.3


def test_spacing_is_a_number_for_each_interval():
    plan = optim.plan(hinge(), swing(1.0, 2.0), intervals=4, spacing=[[1, 2, 3, 4]])
    np.testing.assert_allclose(plan.transcription.mesh.times, [0.0, 0.2, 0.6, 1.2, 2.0])
    with pytest.raises(optim.ProblemError, match="a number > 0 for each of its 4 intervals"):
        optim.plan(hinge(), swing(1.0, 2.0), intervals=4, spacing=[[1, 2, 3]])


@pytest.mark.slow
def test_crane_of_two_booms_is_refined_and_audited_with_feedback():
    """Open-loop replays of this plan at 30 intervals fall by ten metres."""
    start, goal = ({"joint1.angle": a, "joint2.angle": b} for a, b in ((0.8, -0.9), (1.2, -0.6)))
    problem = optim.RestToRest(start, goal, 8.0, input_ends="holding")
    plan = optim.plan(crane(2, modes=2), problem, intervals=30, refine=True)
    assert plan.status == "optimal"
    replay = plan.replay()
    assert replay.tip_miss < plan.mesh_errors.allowed.miss
    audit = plan.audit(fb.AssumedModes(3, tip="free"))
    assert audit.finer.tip_miss < 0.02
    assert audit.finer.tip_deviation < 0.02


def test_errors_beyond_all_numbers_are_infinite_without_a_warning_of_numpy(raised):
    """A plan whose errors grow so wrote "overflow encountered in square" to users, beside the warning that explains."""
    (traj,) = phase_trajectories(raised.pyomo_model)[0]
    far = np.full((1, len(traj.transcription.dae.x)), 1e200)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.isinf(deviation_energy(np.eye(far.shape[1])[None], far)).all()
        assert np.isinf(displaced(traj, 0 * far, far)).all()


def test_numbers_without_meaning_are_told_in_words(raised):
    errors = raised.mesh_errors
    assert "errors grow more than 1e+06 times along the way" in str(replace(errors, growth=1e50))
    assert str(replace(errors, growth=1.0, drift=1e9)).endswith("at the end farther off than the arm reaches in all")
    assert f"at the end about {1e3 * errors.allowed.miss:.2g} mm" in str(
        replace(errors, growth=1.0, drift=errors.allowed.miss)
    )
