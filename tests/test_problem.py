"""Problems of several phases, several scenarios and design parameters, against closed forms."""

import numpy as np
import pytest

import flexblocks as fb
from flexblocks import models, optim
from flexblocks.errors import FlexblocksError
from flexblocks.optim.residual_energy import energy_left

CHEAP = optim.Effort(rate_weight=0.0)
ARM, TIP_INERTIA = 0.5, 0.05  # m, kg m2: the inertia about the hinge is TIP_INERTIA + m ARM^2
LIGHT, HEAVY = {"payload.mass": 0.2}, {"payload.mass": 1.4}


def inertia(p):
    return TIP_INERTIA + p["payload.mass"] * ARM**2


def add_load(model, joint, mass, inertia):
    """Put a payload at the end of a link without mass."""
    link = model.add(fb.RigidLink("link", length=ARM, mass=0.0, inertia=0.0))
    load = model.add(fb.Payload("payload", mass=mass, inertia=inertia))
    model.connect(joint.frame_b, link.frame_a)
    model.connect(link.frame_b, load.frame_a)


def hinge(gravity=0.0, spring=None, servo=False, symbolic=("payload.mass",)):
    """A payload on a driven hinge, on request on a spring to the ground, or under a servo."""
    model = fb.Model("hinge", gravity=(0.0, -gravity, 0.0))
    ground, joint = model.add(fb.Ground("ground")), model.add(fb.Revolute("joint1"))
    add_load(model, joint, mass=1.0, inertia=TIP_INERTIA)
    model.connect(ground.frame_b, joint.frame_a)
    if servo:
        model.connect(model.add(fb.PDServo("servo", kp=20.0, kd=1.5)).flange_b, joint.axis)
    else:
        model.connect(model.add(fb.TorqueSource("motor1")).flange_b, joint.axis)
    if spring is not None:
        model.add(fb.TorsionalSpring("spring1", stiffness=spring))
        wall = model.add(fb.Fixed("wall"))
        model.connect(wall.flange_b, "spring1.flange_a")
        model.connect("spring1.flange_b", joint.axis)
    return fb.assemble(model, symbolic=symbolic)


@pytest.fixture(scope="module")
def body():
    return hinge()


def at(angle):
    return {"joint1.angle": angle}


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
    assert plan.model.phase["carry"].q[6, "joint1.angle"].value == -0.5


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
    before, after = (plan.model.phase[name].v[k, "joint1.angle"].value for name, k in (("reach", 10), ("carry", 0)))
    assert before > 0.5
    assert after == pytest.approx(share * before, rel=1e-7)
    replay = plan.replay()
    assert replay.tip_miss < 1e-6
    assert replay.trajectory["der(joint1.angle)"][1000] == pytest.approx(after, rel=1e-5)


def test_release_in_motion_leaves_rates_alone(body):
    phases = (optim.Phase("swing", None, 1.0, p=HEAVY), optim.Phase("on", at(1.5), 1.0, p=LIGHT))
    plan = optim.plan(body, optim.Problem(at(0.0), phases), intervals=10)
    swing, on = plan.model.phase["swing"], plan.model.phase["on"]
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


def test_scenarios_take_the_same_inputs():
    """Three masses under one servo, all at rest at the goal; the motion of each is what a simulation makes of it."""
    dae = hinge(servo=True)
    masses = (0.6, 1.0, 1.4)
    problem = optim.Problem(
        at(0.0), (optim.Phase("swing", at(1.0), 1.2),), scenarios=[{"payload.mass": mass} for mass in masses]
    )
    plan = optim.plan(dae, problem, intervals=40)
    assert plan.status == "converged"
    for mass, motion in zip(masses, plan.trajectories, strict=True):
        assert motion.p == {"payload.mass": mass}
        assert motion["joint1.angle"][-1] == pytest.approx(1.0, abs=1e-9)
        simulated = fb.simulate(dae, motion.t, plan.inputs, p=motion.p)
        np.testing.assert_allclose(motion["joint1.angle"], simulated["joint1.angle"], atol=2e-5)
    replay = plan.replay()
    assert len(replay.scenarios) == len(replay.arrivals) == 3
    assert replay.tip_miss == max(one.tip_miss for one in replay.scenarios) < 1e-4
    # An input made for one mass alone leaves the others moving; a robust one also serves the masses in between.
    single = optim.plan(dae, optim.Problem(at(0.0), problem.phases), intervals=40)
    between = {"payload.mass": 0.8}
    assert plan.replay(between).energy_left < 0.05 * single.replay(between).energy_left
    data = plan.to_xarray()
    assert dict(data.sizes) == {"scenario": 3, "time": 121}
    assert data["p[payload.mass]"].values.tolist() == list(masses)
    assert float(data["joint1.angle"][2, 60]) == plan.trajectories[2]["joint1.angle"][60]
    assert set(data["phase"].values) == {"swing"}
    again = optim.solve(plan.model.clone())
    assert again.objective == pytest.approx(plan.objective, rel=1e-9)


def test_leeway_at_the_goal():
    """The named coordinates arrive; what the arm may keep of energy it keeps, and it costs less."""
    dae = fb.assemble(models.subudhi_morris_2002(links=1), symbolic=("payload.mass",))
    plans = {}
    for leeway in (0.0, 1e-3, 4e-3):
        phases = (optim.Phase("there", at(1.0), 1.0, leeway=leeway), optim.Phase("back", at(0.0), 1.0))
        plans[leeway] = optim.plan(dae, optim.Problem(at(0.0), phases), intervals=40)
        block = plans[leeway].model.phase["there"]
        assert block.q[40, "joint1.angle"].value == 1.0
        there, back = plans[leeway].replay().arrivals
        assert there.energy_left == pytest.approx(leeway, rel=1e-2, abs=1e-6)
        assert back.energy_left == pytest.approx(0.0, abs=1e-5)
    costs = [plan.objective for plan in plans.values()]
    assert costs[0] > costs[1] > costs[2]
    assert "but for 0.004 J" in plans[4e-3].summary()


def test_energy_left_counts_springs_weight_and_servos():
    """A servo that holds a weight: 1/2 kp e^2, and the weight's own energy about rest."""
    dae = hinge(gravity=9.81, servo=True, symbolic=())
    goal = fb.equilibrium(dae, {"joint1.angle": 0.3})
    x = goal.x + np.array([0.2, 1.5])
    weight = 9.81 * ARM * (np.sin(0.5) - np.sin(0.3))
    torque = 9.81 * ARM * np.cos(0.3)
    expected = 0.5 * 0.3 * 1.5**2 + weight - torque * 0.2 + 0.5 * 20.0 * 0.2**2
    assert energy_left(dae, x, goal) == pytest.approx(expected, rel=1e-12)


def test_mean_and_worst_of_the_scenarios():
    """Each is best at what it minimises: elastic energy in the joint of a one-link arm, for two payloads."""
    model = models.subudhi_morris_2002(links=1, modes=0)
    model.connect(model.add(fb.PDServo("servo", kp=30.0, kd=1.0)).flange_b, "joint1.axis")
    dae = fb.assemble(model, symbolic=("payload.mass",))

    def vibrations(aggregate):
        problem = optim.Problem(
            at(0.0),
            (optim.Phase("swing", at(1.0), 1.0),),
            optim.Vibration() + 1e-6 * optim.Effort(),
            scenarios=({"payload.mass": 0.05}, {"payload.mass": 0.3}),
            aggregate=aggregate,
        )
        plan = optim.plan(dae, problem, intervals=60)
        assert f"{aggregate} of the scenarios" in plan.summary()
        found = []
        for motion in plan.trajectories:
            twist = motion["rotor1.angle"] - motion["joint1.angle"]
            found.append(np.trapezoid(50.0 * twist**2, motion.t))
        return plan, np.array(found)

    mean, by_mean = vibrations("mean")
    worst, by_worst = vibrations("worst")
    assert mean.objective == pytest.approx(by_mean.mean(), rel=0.1)
    assert by_worst.max() < 0.999 * by_mean.max()
    assert by_mean.mean() < by_worst.mean()
    assert worst.model.worst.value == pytest.approx(by_worst.max(), rel=0.1)


def test_spring_that_does_all_the_work():
    """On a spring of stiffness I pi^2 / T^2 the body swings from one side to the other in T by itself."""
    dae = hinge(spring=5.0, symbolic=("spring1.stiffness",))
    problem = optim.Problem(
        at(-0.4), (optim.Phase("swing", at(0.4), 0.8),), CHEAP, design={"spring1.stiffness": (0.5, 50.0)}
    )
    plan = optim.plan(dae, problem, intervals=12, inputs="linear")
    stiffness = 0.3 * np.pi**2 / 0.8**2
    assert plan.p == {"spring1.stiffness": pytest.approx(stiffness, rel=1e-4)}
    assert plan.objective < 1e-9
    assert plan.trajectory.p == plan.p
    # It rests at the ends only under torques that depend on what is designed.
    assert plan.model.start_inputs["motor1.torque"].value == pytest.approx(-0.4 * stiffness, rel=1e-4)
    assert plan.model.goal_inputs["motor1.torque"].value == pytest.approx(0.4 * stiffness, rel=1e-4)
    replay = plan.replay()
    assert replay.tip_miss < 1e-4
    assert abs(replay.energy_left) < 1e-4
    held = optim.plan(dae, optim.Problem(at(-0.4), problem.phases, CHEAP), intervals=12, inputs="linear")
    assert held.objective > 5e-3


def standing(symbolic):
    """A load on a flexible joint that the weight twists."""
    model = fb.Model("standing", gravity=(0.0, -9.81, 0.0))
    ground, joint = model.add(fb.Ground("ground")), model.add(fb.FlexibleJoint("joint1", inertia=0.02, stiffness=80.0))
    add_load(model, joint, mass=0.6, inertia=0.01)
    model.connect(ground.frame_b, joint.frame_a)
    return fb.assemble(model, symbolic=symbolic)


def twisted_by(mass, angle, stiffness):
    """Return how far the motor is ahead of the load at rest."""
    return mass * 9.81 * ARM * np.cos(angle) / stiffness


ANGLE, MOTOR = "joint1.revolute.angle", "joint1.rotor.angle"


def test_design_under_gravity_rests_in_its_own_equilibrium():
    problem = optim.Problem(
        {MOTOR: 0.0},
        (optim.Phase("lift", {MOTOR: 0.9}, 0.7),),
        optim.Effort() + 50 * optim.Vibration(),
        input_ends="holding",
        design={"joint1.spring.stiffness": (30.0, 200.0)},
    )
    plan = optim.plan(standing(["joint1.spring.stiffness"]), problem, intervals=60)
    stiffness = plan.p["joint1.spring.stiffness"]
    assert 81.0 < stiffness <= 200.0 + 1e-5
    for place, k in ((0.0, 0), (0.9, 60)):
        found = plan.model.q[k, ANGLE].value
        assert place - found == pytest.approx(twisted_by(0.6, found, stiffness), rel=1e-6)
        torque = plan.inputs["joint1.motor.torque"](plan.duration * (k > 0) * (1 - 1e-12))
        assert torque == pytest.approx(0.6 * 9.81 * ARM * np.cos(found), rel=1e-6)
    replay = plan.replay()
    assert replay.tip_miss < 1e-4
    assert abs(replay.energy_left) < 1e-4


@pytest.mark.parametrize(("balance", "mass"), [("own", 0.2), ("next", 1.0)])
def test_rest_under_the_load_of_this_phase_or_the_next(balance, mass):
    """A load that is picked up at rest twists the joint; the arm can arrive already twisted for it."""
    phases = (
        optim.Phase("reach", {ANGLE: 0.5}, 0.8, p={"payload.mass": 0.2}, balance=balance),
        optim.Phase("lift", {ANGLE: 1.0}, 0.8, p={"payload.mass": 1.0}, input_jump=True),
    )
    plan = optim.plan(standing(["payload.mass"]), optim.Problem({ANGLE: 0.0}, phases), intervals=100)
    reach, lift = plan.model.phase["reach"], plan.model.phase["lift"]
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


def test_refined_until_every_phase_replays():
    dae = fb.assemble(models.subudhi_morris_2002(links=1), symbolic=("payload.mass",))
    phases = (
        optim.Phase("reach", at(1.0), 1.0, p={"payload.mass": 0.0}),
        optim.Phase("carry", at(0.0), 1.2, p={"payload.mass": 0.2}),
    )
    problem = optim.Problem(at(0.0), phases, input_ends="holding")
    plan = optim.plan(dae, problem, intervals=(8, 10), refine=3e-4)
    assert plan.status == "optimal"
    assert plan.outline.intervals[1] > 10
    assert plan.outline.intervals[0] * 10 == plan.outline.intervals[1] * 8
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


REACH = optim.Phase("reach", {"joint1.angle": 1.0}, 1.0)
BACK = optim.Phase("back", {"joint1.angle": 0.0}, 1.0)

MALFORMED = [
    (lambda: optim.Phase("reach", at(1.0)), "Phase 'reach': duration is missing"),
    (lambda: optim.Phase("", at(1.0), 1.0), "name = ''; must be a word"),
    (lambda: optim.Phase("reach", at(1.0), 1.0, passing=at(1.0)), "both goal and passing"),
    (lambda: optim.Phase("reach", {}, 1.0), "Phase 'reach': goal is empty"),
    (lambda: optim.Phase("reach", at(1.0), 1.0, pick_up="hard"), 'pick_up = \'hard\'; must be "matched" or "impact"'),
    (lambda: optim.Phase("reach", None, 1.0, balance="next"), "balance without a goal"),
    (lambda: optim.Phase("reach", None, 1.0, leeway=1e-4), "leeway without a goal"),
    (lambda: optim.Phase("reach", at(1.0), 1.0, leeway=-1e-4), "leeway = -0.0001 J; must be >= 0 J"),
    (lambda: optim.Phase("reach", at(1.0), 1.0, p={"payload.mass": np.nan}), "payload.mass = nan"),
    (lambda: optim.Problem(at(0.0), ()), "at least one"),
    (lambda: optim.Problem(at(0.0), (REACH, REACH)), "2 are called 'reach'"),
    (lambda: optim.Problem(at(0.0), (optim.Phase("reach", None, 1.0),)), "'reach' is the last and ends nowhere"),
    (lambda: optim.Problem(at(0.0), (optim.Phase("a", at(1.0), 1.0, balance="next"),)), "no phase comes next"),
    (lambda: optim.Problem(at(0.0), (REACH, BACK), "time"), r"duration = 1 \+ 1 s; a fixed time"),
    (lambda: optim.Problem(at(0.0), (optim.Phase("a", at(1.0), "free"), BACK)), "a slower motion always takes less"),
    (lambda: optim.Problem(at(0.0), (REACH,), scenarios={"payload.mass": 1.0}), "a sequence of dicts"),
    (lambda: optim.Problem(at(0.0), (REACH,), scenarios=[LIGHT, LIGHT]), r"scenarios\[1\] = .* is there twice"),
    (lambda: optim.Problem(at(0.0), (REACH,), aggregate="best"), '"mean" or "worst"'),
    (lambda: optim.Problem(at(0.0), (REACH,), design={"spring1.stiffness": (9.0, 2.0)}), "low < high"),
    (lambda: optim.Problem(at(0.0), (REACH,), design={"spring1.stiffness": 9.0}), r"its bounds \(low, high\)"),
    (
        lambda: optim.Problem(at(0.0), (optim.Phase("a", at(1.0), 1.0, p=LIGHT),), design={"payload.mass": (0.1, 2.0)}),
        "'payload.mass' has a value in p of phase 'a' and another in design",
    ),
    (
        lambda: optim.Problem(at(0.0), (REACH,), scenarios=[LIGHT, HEAVY], design={"payload.mass": (0.1, 2.0)}),
        r"in design and another in scenarios\[0\]",
    ),
]


@pytest.mark.parametrize(("make", "message"), MALFORMED)
def test_malformed_problems_are_refused_at_once(make, message):
    with pytest.raises(FlexblocksError, match=message):
        make()


def phased(*phases, **more):
    return optim.Problem(at(0.0), phases, **more)


MISFITS = [
    (
        phased(optim.Phase("a", at(1.0), 1.0, p={"payload.mas": 1.0})),
        {},
        r"phase 'a': p: .*Did you mean payload.mass\?",
    ),
    (
        phased(REACH, scenarios=({"payload.inertia": 1.0},)),
        {},
        r"is no symbolic parameter .*symbolic=\(\"payload.inert",
    ),
    (phased(REACH, design={"spring1.stiffness": (1.0, 2.0)}), {}, "design: 'spring1.stiffness' is no symbolic"),
    (phased(REACH, optim.Phase("b", {"joint.angle": 0.0}, 1.0)), {}, "phase 'b': goal: there is no coordinate"),
    (phased(optim.Phase("a", None, 1.0, passing={"joint": 1.0}), BACK), {}, "passing: there is no state 'joint'"),
    (
        phased(optim.Phase("a", at(1.0), 1.0, leeway=1.0), design={"payload.mass": (0.1, 2.0)}),
        {},
        "leave one of them out",
    ),
    (phased(REACH, BACK), {"intervals": (5, 5, 5)}, "one number, or 2, one for each phase"),
    (
        phased(optim.Phase("a", None, 1.0, p=LIGHT), optim.Phase("b", at(1.0), 1.0, p=HEAVY)),
        {},
        "'b' begins in motion with more inertia than the phase 'a' before it",
    ),
    (
        phased(optim.Phase("a", None, 1.0, p=HEAVY), optim.Phase("b", at(1.0), 1.0, p=LIGHT, pick_up="impact")),
        {},
        "a release leaves the rates as they are",
    ),
]


@pytest.mark.parametrize(("problem", "options", "message"), MISFITS)
def test_problems_that_do_not_fit_the_arm_are_refused(body, problem, options, message):
    with pytest.raises(FlexblocksError, match=message):
        optim.pyomo_model(body, problem, **options)


def test_holding_inputs_that_scenarios_cannot_share():
    dae = hinge(gravity=9.81)
    problem = phased(REACH, scenarios=(LIGHT, HEAVY), input_ends="holding")
    with pytest.raises(optim.ProblemError, match=r'holds them at the start with 0.98.* and 6.8.*input_ends="free"'):
        optim.pyomo_model(dae, problem)


def test_replay_of_a_scenario_that_phases_decide(body):
    plan = optim.plan(body, phased(optim.Phase("a", at(1.0), 1.0, p=LIGHT)), intervals=5)
    with pytest.raises(optim.ProblemError, match="has a value in p of phase 'a'"):
        plan.replay({"payload.mass": 1.0})
    with pytest.raises(optim.ProblemError, match=r"'payload\.size' is no symbolic"):
        plan.replay({"payload.size": 1.0})
