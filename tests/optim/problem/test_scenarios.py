"""Scenarios that share their inputs, and the energy that may be left at a goal."""

import numpy as np
import pytest

import flexblocks as fb
from arms.loads import ARM, HEAVY, LIGHT, REACH, at, hinge, phased
from flexblocks import models, optim
from flexblocks.optim.collocation.residual_energy import energy_left


@pytest.fixture(scope="module")
def body():
    return hinge()


def test_scenarios_take_the_same_inputs():
    """Three masses under one servo, all at rest at the goal; the motion of each is what a simulation makes of it."""
    dae = hinge(servo=True)
    masses = (0.6, 1.0, 1.4)
    problem = optim.Problem(
        at(0.0),
        (optim.Phase("swing", at(1.0), 1.2),),
        optim.Effort(rate_weight=0.01),
        scenarios=[{"payload.mass": mass} for mass in masses],
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
    again = optim.solve(plan.pyomo_model.clone())
    assert again.objective == pytest.approx(plan.objective, rel=1e-9)


@pytest.mark.slow
def test_leeway_at_the_goal():
    """The named coordinates arrive; what the arm may keep of energy it keeps, and it costs less."""
    dae = fb.assemble(models.subudhi_morris_2002(links=1), symbolic=("payload.mass",))
    plans = {}
    for leeway in (0.0, 1e-3, 4e-3):
        phases = (optim.Phase("there", at(1.0), 1.0, leeway=leeway), optim.Phase("back", at(0.0), 1.0))
        plans[leeway] = optim.plan(dae, optim.Problem(at(0.0), phases), intervals=40)
        block = plans[leeway].pyomo_model.phase["there"]
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
    """Each is best at what it minimises: elastic energy in the joint of a one-link arm, for two payloads.

    Without damping the servo receives its reference alone, whose effort then weighs next to nothing.
    """
    model = models.subudhi_morris_2002(links=1, modes=0)
    model.connect(model.add(fb.PDServo("servo", kp=30.0)).flange_b, "joint1.axis")
    dae = fb.assemble(model, symbolic=("payload.mass",))

    def vibrations(aggregate):
        problem = optim.Problem(
            at(0.0),
            (optim.Phase("swing", at(1.0), 1.0),),
            optim.Vibration() + 1e-6 * optim.Effort(0.01, dict.fromkeys(dae.u.names, 1.0)),
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
    assert worst.pyomo_model.worst.value == pytest.approx(by_worst.max(), rel=0.1)


def test_holding_inputs_that_scenarios_cannot_share():
    dae = hinge(gravity=9.81)
    problem = phased(REACH, scenarios=(LIGHT, HEAVY), input_ends="holding")
    with pytest.raises(optim.ProblemError, match=r'holds them at the start with 0.98.* and 6.8.*input_ends="free"'):
        optim.pyomo_model(dae, problem)


def test_replay_of_a_scenario_that_phases_decide(body):
    plan = optim.plan(body, phased(optim.Phase("a", at(1.0), 1.0, p=LIGHT)), intervals=5)
    with pytest.raises(optim.ProblemError, match="has a value in p of phase 'a'"):
        plan.replay({"payload.mass": 1.0})
    with pytest.raises(optim.ProblemError, match=r"'payload\.size' is not a symbolic"):
        plan.replay({"payload.size": 1.0})


@pytest.mark.slow
def test_leeway_is_sought_where_exact_rest_is_out_of_reach():
    """Two stiffnesses of a joint under servos, without a warm start: what is left is negligible, and is reported."""
    servos = {f"motor{i}": fb.PDServo(f"motor{i}", kp=20.0, kd=2.0) for i in (1, 2)}
    dae = fb.assemble(models.subudhi_morris_2002().copy(servos), symbolic=("spring1.stiffness",))
    goal = {"joint1.angle": np.pi / 2, "joint2.angle": np.pi / 6}
    problem = optim.Problem(
        dict.fromkeys(goal, 0.0),
        (optim.Phase("swing", goal, 3.0),),
        optim.Vibration() + 1e-3 * optim.Effort(rate_weight=1.0),
        scenarios=[{"spring1.stiffness": stiffness} for stiffness in (50.0, 100.0)],
        input_ends="holding",
    )
    with pytest.warns(optim.PlanWarning, match=r"exact rest of all 2 scenarios was not reached.* up to .* J"):
        plan = optim.plan(dae, problem, intervals=40)
    (phase,) = plan.transcribed.problem.phases
    assert plan.status == "converged"
    assert f"up to {phase.leeway:g} J left" in plan.summary()
    kinetic = max(motion.energy[:, 0].max() for motion in plan.trajectories)
    assert 0 < phase.leeway < 1e-3 * kinetic
    assert plan.replay().energy_left < 1e-3 * kinetic
