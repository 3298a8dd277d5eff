"""Relaxations compose: a problem may need several of them at once."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import flexblocks as fb
from arms.library import subudhi_morris
from arms.turns import TORQUE, hinge, swing
from flexblocks import models, optim
from flexblocks.optim.collocation.transcription_options import TranscriptionOptions
from flexblocks.optim.planner import plan_with
from flexblocks.optim.strategy.relaxations.table import RELAXATIONS
from flexblocks.optim.strategy.solver import ITERATIONS, Budget, Solver

ANGLES = "joint1.angle", "joint2.angle"
HOME, THERE = dict.fromkeys(ANGLES, 0.0), dict(zip(ANGLES, (np.pi / 2, np.pi / 6), strict=True))
CENTER, RADIUS = (0.34, 0.49), 0.25
POST = optim.KeepOut(optim.Sphere(CENTER, RADIUS), frames="payload")


def distances(plan: optim.Plan) -> np.ndarray:
    """Return how far the payload is from the post, in all scenarios."""
    points = [np.column_stack([motion["payload.x"], motion["payload.y"]]) for motion in plan.trajectories]
    return np.linalg.norm(np.concatenate(points) - CENTER, axis=1)


def iterations(plan: optim.Plan) -> int:
    return sum(attempt.iterations or 0 for attempt in plan.attempts)


def test_each_relaxation_has_a_name_and_words_of_its_own() -> None:
    names = [kind.name for kind in RELAXATIONS]
    assert len(set(names)) == len(names)
    assert all(kind.__doc__ for kind in RELAXATIONS)


@pytest.mark.filterwarnings("ignore:.*too coarse")
def test_the_shortest_time_past_an_obstacle() -> None:
    """The post is in the way of least effort; around it the shortest time is longer than that of a free way at most."""
    limits = {"motor1.torque": 1.0, "motor2.torque": 0.5, "der(motor1.torque)": 20.0, "der(motor2.torque)": 10.0}
    task = {"duration": "free", "objective": "time", "limits": limits, "input_ends": "holding"}
    plan = optim.plan(subudhi_morris(), optim.RestToRest(HOME, THERE, path=POST, **task), intervals=30)
    assert plan.status == "converged"
    assert any("obstacles at" in attempt.what for attempt in plan.attempts)
    assert plan.attempts[-1].what.startswith("time")
    assert distances(plan).min() > RADIUS - 1e-6
    assert iterations(plan) < 3 * 100


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::flexblocks.optim.PlanWarning")
def test_scenarios_past_an_obstacle() -> None:
    """Two loads under the same inputs, both around the post."""
    dae = fb.assemble(models.subudhi_morris_2002(), symbolic=("payload.mass",))
    phase = optim.Phase("around", THERE, 2.0)
    loads = [{"payload.mass": mass} for mass in (0.1, 0.11)]
    plan = optim.plan(dae, optim.Problem(HOME, [phase], path=POST, scenarios=loads), intervals=20)
    assert plan.status in ("converged", "unresolved")
    assert len(plan.trajectories) == 2
    assert distances(plan).min() > RADIUS - 1e-6
    assert iterations(plan) < ITERATIONS


@cache
def dry_links() -> fb.DAE:
    """Return two links of two elements each, which have more modes than motors, whose motors have dry friction."""
    model = fb.Model("dry links")
    place = model.add(fb.Ground("ground")).frame_b
    for i in (1, 2):
        joint, motor = model.add(fb.Revolute(f"joint{i}")), model.add(fb.TorqueSource(f"motor{i}", limit=20.0))
        friction = fb.Friction(f"friction{i}", viscous=0.02, coulomb=0.5 / i, velocity=0.01)
        link = fb.FlexibleBeam(f"link{i}", 0.5, 0.4, 20.0, discretization=fb.FiniteElements(2))
        model.connect(place, joint.frame_a)
        model.connect(motor.flange_b, model.add(friction).flange_b, joint.axis)
        model.connect(joint.frame_b, model.add(link).frame_a)
        place = link.frame_b
    model.connect(place, model.add(fb.Payload("payload", 0.5)).frame_a)
    return fb.assemble(model)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::flexblocks.optim.PlanWarning")
def test_friction_with_more_modes_than_inputs() -> None:
    """The shortest time: friction is rounded off, rest has a tolerance, and the replay with feedback arrives."""
    goal = dict(zip(ANGLES, (1.0, 0.5), strict=True))
    limits = {f"der(motor{i}.torque)": 400.0 for i in (1, 2)}
    task = optim.RestToRest(HOME, goal, (0.2, 5.0), "time", limits, input_ends="holding")
    plan = optim.plan(dry_links(), task, intervals=15)
    assert plan.status.startswith(("converged", "unresolved"))
    assert iterations(plan) <= ITERATIONS
    assert plan.replay(law="tracking").tip_miss < 0.01


def test_an_optimum_that_is_out_of_the_budget_is_returned_as_a_motion() -> None:
    """Iterations for least effort, but not for the shortest time from there."""
    problem = swing(1.5, (1.0, 4.0), objective="time", limits={TORQUE: 0.6, f"der({TORQUE})": 6.0})
    solver = Solver(Budget(iterations=118))
    with pytest.warns(optim.PlanWarning, match=r"no optimum was found .* but a motion of"):
        plan = plan_with(hinge(), problem, TranscriptionOptions(intervals=20), solver=solver)
    assert plan.status == "feasible, not optimal"
    assert plan.replay().tip_miss < 1e-3
    assert optim.plan(hinge(), problem, intervals=20, guess=plan).status == "converged"
