"""Problems of several phases, against closed forms."""

import numpy as np
import pytest

import flexblocks as fb
from arms.loads import ANGLE, ARM, CHEAP, HEAVY, LIGHT, MOTOR, at, hinge, inertia, standing, twisted_by
from flexblocks import models, optim


@pytest.fixture(scope="module")
def body():
    return hinge()


def test_phases_at_rest_add_up(body):
    """Between rests and with inputs that may jump, each phase costs 12 I^2 d^2 / T^3 with its own inertia."""
    phases = (
        optim.Phase("reach", at(1.0), 1.0, p=LIGHT),
        optim.Phase("carry", at(-0.5), 2.0, p=HEAVY, input_jump=True),
        optim.Phase("return", at(0.0), 0.5, p=LIGHT, input_jump=True),
    )
    plan = optim.plan(body, optim.Problem(at(0.0), phases, CHEAP), intervals=(4, 6, 3), inputs="linear")
    costs = [
        12 * inertia(phase.p) ** 2 * d**2 / phase.duration**3 for phase, d in zip(phases, (1.0, 1.5, 0.5), strict=True)
    ]
    assert plan.objective == pytest.approx(sum(costs), rel=1e-10)
    assert plan.duration == 3.5
    assert plan.phases == {"reach": (0.0, 1.0), "carry": (1.0, 3.0), "return": (3.0, 3.5)}
    motion = plan.trajectory
    assert len(motion) == 1 + 3 * 13
    assert (np.diff(motion.t) > 0).all()
    u = plan.inputs["motor1.torque"]
    for phase, (begin, _), d in zip(phases, plan.phases.values(), (1.0, -1.5, 0.5), strict=True):
        assert u(begin) == pytest.approx(6 * inertia(phase.p) * d / phase.duration**2, rel=1e-9)
    replay = plan.replay()
    assert replay.tip_miss < 1e-8
    assert [arrival.phase for arrival in replay.arrivals] == ["reach", "carry", "return"]
    assert replay.trajectory["joint1.angle"][-1] == pytest.approx(0.0, abs=1e-8)
    # The work of each phase is spent again: it begins and ends at rest.
    assert motion["work"][-1] == pytest.approx(0.0, abs=1e-8)
    assert motion.p == {}
    assert plan.pyomo_model.phase["carry"].q[6, "joint1.angle"].value == -0.5


@pytest.mark.parametrize("balance", ["own", "next"])
def test_inputs_that_jump_at_rest_jump_to_what_holds_the_arm(balance):
    """Under gravity, m g r cos(angle): of the load that is put down, or of the one that is picked up."""
    arm = hinge(gravity=9.81)
    phases = (
        optim.Phase("there", at(1.0), 1.0, p=LIGHT, balance=balance),
        optim.Phase("back", at(0.0), 1.0, p=HEAVY, input_jump=True),
    )
    m = optim.pyomo_model(arm, optim.Problem(at(0.0), phases, input_ends="holding"), intervals=4)
    ends = m.phase["there"].u[4, "motor1.torque"], m.phase["back"].u[0, "motor1.torque"]
    assert [variable.fixed for variable in ends] == [balance == "own", balance == "next"]
    load = HEAVY if balance == "next" else LIGHT
    assert ends[balance == "next"].value == pytest.approx(load["payload.mass"] * 9.81 * ARM * np.cos(1.0))


def test_inputs_are_continuous_unless_they_may_jump(body):
    def planned(jump):
        phases = (
            optim.Phase("there", at(1.0), 1.0, p=LIGHT),
            optim.Phase("back", at(0.0), 1.0, p=HEAVY, input_jump=jump),
        )
        return optim.plan(body, optim.Problem(at(0.0), phases), intervals=8)

    smooth, jumping = planned(False), planned(True)
    assert smooth.objective > 1.01 * jumping.objective
    for order in (0, 1):
        u = smooth.inputs["motor1.torque"].derivative(order) if order else smooth.inputs["motor1.torque"]
        assert u(1.0 - 1e-12) == pytest.approx(u(1.0), abs=1e-6)
    u = jumping.inputs["motor1.torque"]
    assert abs(u(1.0) - u(1.0 - 1e-12)) > 0.5


def test_phases_that_change_nothing_change_nothing(body):
    """A motion cut in two where it may be anywhere is the same motion."""
    whole = optim.plan(body, optim.RestToRest(at(0.2), at(1.4), 1.5), intervals=10)
    cut = (optim.Phase("first", None, 0.6), optim.Phase("then", at(1.4), 0.9))
    plan = optim.plan(body, optim.Problem(at(0.2), cut), intervals=(4, 6))
    assert plan.objective == pytest.approx(whole.objective, rel=1e-9)
    np.testing.assert_allclose(plan.trajectory["joint1.angle"], whole.trajectory["joint1.angle"], atol=1e-7)
    np.testing.assert_allclose(plan.trajectory["work"], whole.trajectory["work"], atol=1e-7)
    assert plan.replay().tip_miss < 1e-8


def test_passing_through_a_place(body):
    """Least effort through q(T/2) = c: the spline of q with q'' linear, continuous, and free rate in the middle."""
    c, T, inertia_ = 0.9, 2.0, inertia({"payload.mass": 1.0})
    phases = (optim.Phase("out", None, T / 2, passing=at(c)), optim.Phase("in", at(1.0), T / 2))
    plan = optim.plan(body, optim.Problem(at(0.0), phases, CHEAP), intervals=5, inputs="linear")
    # The unconstrained motion passes 1/2 there; the rest is the symmetric hat with stiffness 192 / T^3.
    expected = inertia_**2 * (12 / T**3 + 192 / T**3 * (c - 0.5) ** 2)
    assert plan.objective == pytest.approx(expected, rel=1e-9)
    assert plan.trajectory["joint1.angle"][15] == pytest.approx(c, abs=1e-9)
    assert len(plan.replay().arrivals[0].end_error) == 0
    assert plan.replay().tip_miss < 1e-8


@pytest.mark.parametrize(("pick_up", "share"), [("impact", inertia(LIGHT) / inertia(HEAVY)), ("matched", 1.0)])
def test_load_picked_up_in_motion(body, pick_up, share):
    """A load at rest is jerked along: angular momentum is kept, energy is not. One that moves along changes no rate."""
    phases = (
        optim.Phase("reach", None, 1.0, passing=at(0.5), p=LIGHT),
        optim.Phase("carry", at(1.5), 1.0, p=HEAVY, pick_up=pick_up),
    )
    plan = optim.plan(body, optim.Problem(at(0.0), phases), intervals=10)
    before, after = (
        plan.pyomo_model.phase[name].v[k, "joint1.angle"].value for name, k in (("reach", 10), ("carry", 0))
    )
    assert before > 0.5
    assert after == pytest.approx(share * before, rel=1e-7)
    replay = plan.replay()
    assert replay.tip_miss < 1e-6
    assert replay.trajectory["der(joint1.angle)"][1000] == pytest.approx(after, rel=1e-5)


def test_release_in_motion_leaves_rates_alone(body):
    phases = (optim.Phase("swing", None, 1.0, p=HEAVY), optim.Phase("on", at(1.5), 1.0, p=LIGHT))
    plan = optim.plan(body, optim.Problem(at(0.0), phases), intervals=10)
    swing, on = plan.pyomo_model.phase["swing"], plan.pyomo_model.phase["on"]
    assert on.v[0, "joint1.angle"].value == pytest.approx(swing.v[10, "joint1.angle"].value) != 0
    assert plan.replay().tip_miss < 1e-7


def test_shortest_time_of_two_phases(body):
    """Bang-bang with half the mesh each way: 2 sqrt(I d / u) for each phase."""
    phases = (
        optim.Phase("reach", at(1.0), "free", p=LIGHT),
        optim.Phase("carry", at(0.0), (0.1, 9.0), p=HEAVY, input_jump=True),
    )
    problem = optim.Problem(at(0.0), phases, "time", {"motor1.torque": 0.8})
    plan = optim.plan(body, problem, intervals=6, inputs="constant")
    expected = [2 * np.sqrt(inertia(p) / 0.8) for p in (LIGHT, HEAVY)]
    assert plan.duration == pytest.approx(sum(expected), rel=1e-6)
    assert plan.phases["carry"][0] == pytest.approx(expected[0], rel=1e-6)
    assert plan.replay().tip_miss < 1e-5


def test_limits_of_a_phase_hold_in_it_alone(body):
    slow = {"der(joint1.angle)": 0.6}
    phases = (optim.Phase("careful", at(1.0), 2.0, limits=slow), optim.Phase("quick", at(0.0), 1.0, input_jump=True))
    rate = np.abs(optim.plan(body, optim.Problem(at(0.0), phases), intervals=12).trajectory["der(joint1.angle)"])
    assert rate[:37].max() == pytest.approx(0.6, abs=1e-6)
    assert rate[37:].max() > 1.2


@pytest.mark.slow
@pytest.mark.parametrize(("balance", "mass"), [pytest.param("own", 0.2, marks=pytest.mark.slow), ("next", 1.0)])
def test_rest_under_the_load_of_this_phase_or_the_next(balance, mass):
    """A load that is picked up at rest twists the joint; the arm can arrive already twisted for it."""
    phases = (
        optim.Phase("reach", {ANGLE: 0.5}, 0.8, p={"payload.mass": 0.2}, balance=balance),
        optim.Phase("lift", {ANGLE: 1.0}, 0.8, p={"payload.mass": 1.0}, input_jump=True),
    )
    plan = optim.plan(standing(["payload.mass"]), optim.Problem({ANGLE: 0.0}, phases), intervals=100)
    reach, lift = plan.pyomo_model.phase["reach"], plan.pyomo_model.phase["lift"]
    assert reach.q[100, MOTOR].value - 0.5 == pytest.approx(twisted_by(mass, 0.5, 80.0), rel=1e-9)
    assert lift.q[0, MOTOR].value == reach.q[100, MOTOR].value
    assert plan.trajectory[MOTOR][0] == pytest.approx(twisted_by(0.2, 0.0, 80.0), rel=1e-9)
    assert plan.trajectory[MOTOR][-1] - 1.0 == pytest.approx(twisted_by(1.0, 1.0, 80.0), rel=1e-9)
    replay = plan.replay()
    assert replay.tip_miss < 1e-4
    assert abs(replay.energy_left) < 1e-4
    audit = plan.audit(standing(["payload.mass"]))
    assert audit.replays
    assert audit.finer.tip_miss == pytest.approx(replay.tip_miss, rel=1e-3)


@pytest.mark.slow
def test_refined_until_every_phase_replays():
    dae = fb.assemble(models.subudhi_morris_2002(links=1), symbolic=("payload.mass",))
    phases = (
        optim.Phase("reach", at(1.0), 1.0, p={"payload.mass": 0.0}),
        optim.Phase("carry", at(0.0), 1.2, p={"payload.mass": 0.2}),
    )
    problem = optim.Problem(at(0.0), phases, input_ends="holding")
    plan = optim.plan(dae, problem, intervals=(8, 10), refine=3e-4)
    assert plan.status == "optimal"
    assert plan.transcribed.intervals[1] > 10
    assert plan.transcribed.intervals[0] >= 8  # intervals are halved where they err, in whichever phase
    assert plan.attempts[0].intervals == 18
    assert plan.replay().tip_miss < 3e-4
    assert len(plan.attempts) > 1


def test_impossible_phase_is_named(body):
    phases = (optim.Phase("easy", at(0.1), 2.0), optim.Phase("hard", at(2.0), 1.0))
    with pytest.raises(optim.PlanError) as caught:
        optim.plan(body, optim.Problem(at(0.0), phases, limits={"motor1.torque": 0.5}), intervals=10)
    worst = caught.value.violations[0]
    assert "hard" in worst.name
    assert 2.0 <= worst.time <= 3.0
