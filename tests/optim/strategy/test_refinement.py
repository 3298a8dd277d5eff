"""Plans made again until they replay: schemes, finer meshes, starts from the plan before."""

import math
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from arms.library import subudhi_morris
from arms.turns import TORQUE, hinge, quarter_turn, swing
from flexblocks import optim
from flexblocks.optim.model.trajectories import phase_trajectories
from flexblocks.optim.strategy.refinement.mesh_refinement import refine_mesh
from flexblocks.optim.strategy.settings import Settings
from flexblocks.optim.strategy.warm_start import start_from
from flexblocks.optim.verification.mesh_errors.numerical_dissipation import numerical_dissipation


@pytest.mark.slow
def test_shortest_time_refined_until_it_replays():
    """0.16 mm and 2e-3 J are lost at 40 and 80 intervals where rotors ride on links."""
    plan = optim.plan(subudhi_morris(rotor_mount="carried"), quarter_turn(), intervals=40, refine=True)
    assert plan.status == "optimal"
    assert len(plan.attempts) > 2
    replay = plan.replay()
    assert replay.tip_miss < 1e-4
    assert replay.energy_left < 1e-4


@pytest.mark.slow
def test_plan_that_lives_off_its_scheme_is_made_anew():
    """Radau collocation swallows a hundred times the energy that the goal allows: no honest shortest time."""
    limits = {TORQUE: 4.0, f"der({TORQUE})": 80.0}
    problem = swing(1.5, objective="time", limits=limits, input_ends="holding")
    arm = subudhi_morris(links=1)
    damped = optim.plan(arm, problem, intervals=15)
    assert numerical_dissipation(phase_trajectories(damped.pyomo_model)) > 1e-3
    assert damped.replay().energy_left > 1e-3
    plan = optim.plan(arm, problem, intervals=15, refine=optim.Criteria(miss=1e-4, energy=1e-4))
    assert plan.status == "optimal"
    assert plan.transcription.scheme.name == "lobatto"
    assert numerical_dissipation(phase_trajectories(plan.pyomo_model)) < 1e-4
    assert plan.duration < damped.duration  # without unresolved oscillations it even finds a shorter one
    replay = plan.replay()
    assert replay.tip_miss < 1e-4
    assert replay.energy_left < 1e-4
    assert "Lobatto collocation of degree" in plan.summary()


@pytest.mark.slow
def test_shortest_time_converges_and_settles():
    """From the default start, whatever the torque."""
    torques, full, intervals = (1.0, 0.5), 0.05, 40
    problem, criteria = quarter_turn(torques, full), optim.Criteria(miss=1e-4, energy=1e-4)
    # The limit is none: without it refinement has 120 s of CPU, of which a failed least effort may take most.
    plan = optim.plan(subudhi_morris(), problem, intervals=intervals, refine=criteria, time_limit=1e4)
    assert plan.status == "optimal"
    # At (4, 2) N m least effort in the shortest of the durations tried may not be found; the next one is longer. Nor
    # may the shortest time with another scheme from there, which begins anew then.
    failed = [attempt.what for attempt in plan.attempts if attempt.status != "converged"]
    may_fail = ("least effort in", "Lobatto collocation from there")
    assert not failed or (torques == (4.0, 2.0) and len(failed) == 1 and failed[0].startswith(may_fail))
    replay = plan.replay()
    assert replay.tip_miss < 1e-4
    assert replay.energy_left < 1e-4


@cache
def coarsely_planned():
    problem = quarter_turn((4.0, 2.0), duration=2.0, objective="effort")
    return optim.plan(subudhi_morris(), problem, intervals=10)


def test_refined_until_it_replays():
    coarse = coarsely_planned()
    problem = coarse.transcribed.problem
    plan = optim.plan(subudhi_morris(), problem, intervals=10, refine=1e-4)
    assert coarse.replay().tip_miss > 1e-4
    replay = plan.replay()
    assert replay.tip_miss < 1e-4
    assert replay.energy_left < 1e-4
    assert plan.status == "optimal"
    # No mode was quasi-static that refinement could give back its dynamics.
    assert not [attempt.what for attempt in plan.attempts if "all modes" in attempt.what]
    intervals = [attempt.intervals for attempt in plan.attempts]
    assert intervals[:2] == [10, 10]
    assert intervals == sorted(intervals)
    assert plan.attempts[0].tip_miss == pytest.approx(coarse.replay().tip_miss, abs=1e-8)
    assert plan.attempts[-1].tip_miss == pytest.approx(replay.tip_miss, abs=1e-8)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("progress", "expected"),
    [(0.0, [("Radau", 20), ("Lobatto", 20)]), (math.inf, [("Radau", 20), ("Radau", 40)])],
    ids=["halving does not help", "halving helps"],
)
def test_shorter_intervals_come_before_another_scheme_as_long_as_they_help(progress, expected):
    """Where the replay misses by what counts as little here."""
    settings = Settings(near=1e12, progress=progress, most_intervals=40)
    criteria = optim.Criteria(miss=1e-9, energy=1e-12)
    with pytest.warns(optim.PlanWarning, match="no finer mesh of at most 40 intervals was solved"):
        plan = refine_mesh(coarsely_planned(), criteria, settings=settings)
    assert [(attempt.what.split()[0], attempt.intervals) for attempt in plan.attempts[1:3]] == expected


def test_plan_that_does_not_replay_is_not_called_optimal():
    with pytest.warns(optim.PlanWarning, match="no finer mesh of at most 20 intervals was solved"):
        plan = refine_mesh(coarsely_planned(), optim.Criteria(miss=1e-9), settings=Settings(most_intervals=20))
    assert plan.status == "unresolved"
    intervals = [attempt.intervals for attempt in plan.attempts]
    assert intervals == sorted(intervals)
    assert set(intervals) == {10, 20}
    assert "unresolved" in plan.summary()


def test_an_end_is_told_where_there_is_no_time():
    hasty = Settings(refinement_time=1e-9)
    with pytest.warns(optim.PlanWarning, match="refinement ended after 1e-09 s of CPU, before the plan replayed"):
        unresolved = refine_mesh(coarsely_planned(), optim.Criteria(miss=1e-4), settings=hasty)
    assert unresolved.status == "unresolved"
    assert unresolved.transcription.mesh.intervals == 10


def test_inputs_that_jump_are_told_where_refinement_ends():
    jumps = replace(quarter_turn((4.0, 2.0), duration=2.0, objective="effort"), input_ends="free")
    coarse = optim.plan(subudhi_morris(), jumps, intervals=10)
    with pytest.warns(optim.PlanWarning, match='The inputs jump .*with input_ends="holding" they do not'):
        refine_mesh(coarse, optim.Criteria(miss=1e-9), settings=Settings(refinement_time=1e-9))


def test_start_from_a_plan_loses_nothing_on_a_finer_mesh():
    """Twice the intervals, the same polynomials: the coarse motion again, stretched in time where requested."""
    arm, problem = subudhi_morris(), quarter_turn((4.0, 2.0), duration=1.5, objective="effort")
    coarse = optim.plan(arm, problem, intervals=20)
    m = optim.pyomo_model(arm, problem, intervals=40)
    start_from(m, coarse.pyomo_model)
    m.effort.outputs["cost"].set_value(0.0)
    same = optim.Plan.from_model(m)
    t = np.linspace(0, 1.5, 50)
    np.testing.assert_allclose(same.inputs["motor1.torque"](t), coarse.inputs["motor1.torque"](t), atol=1e-9)
    for name in ("joint1.angle", "der(link1.bending_y[1])"):
        np.testing.assert_allclose(same.trajectory[name][6::6], coarse.trajectory[name][3::3], atol=1e-9)
    slow = optim.pyomo_model(arm, quarter_turn((4.0, 2.0), duration=(3.0, 4.0), objective="effort"), intervals=20)
    start_from(slow, coarse.pyomo_model)
    assert slow.T.value == 3.0
    assert slow.v[10, "joint1.angle"].value == pytest.approx(coarse.pyomo_model.v[10, "joint1.angle"].value / 2)
    assert slow.a[4, 2, "joint1.angle"].value == pytest.approx(coarse.pyomo_model.a[4, 2, "joint1.angle"].value / 4)
    assert slow.u[7, "motor2.torque"].value == pytest.approx(coarse.pyomo_model.u[7, "motor2.torque"].value)


def test_states_keep_their_limits_with_points_at_both_ends():
    """A limit at the points inside intervals and at mesh points, none of them twice."""
    torque, speed = 0.6, 0.5
    problem = swing(1.5, 4.0, limits={TORQUE: torque, "der(joint1.angle)": speed})
    plan = optim.plan(hinge(), problem, intervals=10, scheme="lobatto", degree=4)
    assert len(plan.pyomo_model.state_limit) == 10 * 2
    assert plan.trajectory["der(joint1.angle)"].max() == pytest.approx(speed, abs=1e-6)
    assert plan.replay().tip_miss < 1e-6


@pytest.mark.parametrize(
    ("scheme", "degree", "message"),
    [
        ("lobato", 3, "Did you mean lobatto"),
        ("lobatto", 1, "from 2 to 9"),
        ("radau", 10, "from 1 to 9"),
        ("radau", 2.5, r"degree = 2\.5"),
    ],
)
def test_unknown_schemes_are_refused(scheme, degree, message):
    with pytest.raises(optim.ProblemError, match=message):
        optim.plan(hinge(1.0), swing(1.0, 2.0), scheme=scheme, degree=degree)
