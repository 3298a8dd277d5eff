"""Plans keep cylinders between their end stops, and postures of goals are looked for there."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest
from scipy.optimize import brentq

import flexblocks as fb
from benchmarks.real_plans.random_boom import random_boom
from benchmarks.real_plans.tasks import TASKS
from flexblocks import optim

STROKE = (0.9, 1.25)
VALVES = {"ideal": {"max_speed": 0.2}, "real": {"supply_pressure": 25e6, "rated_flow": 4e-4}}


@cache
def boom(valve: str, symbolic: tuple[str, ...] = ()) -> fb.DAE:
    """Return a boom of 3 m on a cylinder, whose stroke ends at 1.19 rad."""
    model = fb.Model("boom", gravity=(0.0, -9.81, 0.0))
    ground, hinge = model.add(fb.Ground("ground")), model.add(fb.Revolute("luff", start=0.6))
    beam = model.add(
        fb.FlexibleBeam("beam", 3.0, 20.0, 1e6, discretization=fb.AssumedModes(1, tip="auto"), bending="y")
    )
    foot = model.add(fb.FixedTransform("foot", (0.2, -0.6, 0.0)))
    ram = model.add(fb.HydraulicCylinder("ram", 2e-3, 1.2e-3, *STROKE, friction=1e4, **VALVES[valve]))
    model.connect(ground.frame_b, hinge.frame_a, foot.frame_a)
    model.connect(hinge.frame_b, beam.frame_a)
    model.connect(foot.frame_b, ram.frame_a)
    model.connect(beam.station(0.7), ram.frame_b)
    model.connect(beam.frame_b, model.add(fb.Payload("load", 100.0)).frame_a)
    return fb.assemble(model, symbolic=symbolic)


def length(angle: float) -> float:
    return math.hypot(0.7 * math.cos(angle) - 0.2, 0.7 * math.sin(angle) + 0.6)


BEYOND = [
    r"ram\.length = 1\.2\d+ .*limits are 0\.9 to 1\.25",
    r"There, ram\.length = 1\.2\d+ m, whose range is 0\.9 to 1\.25",
]


@pytest.mark.parametrize(("valve", "named"), list(zip(VALVES, BEYOND, strict=True)))
def test_a_goal_beyond_a_stop_is_refused_by_the_cylinder(valve, named):
    angle = 1.3
    assert length(angle) > STROKE[1]
    dae = boom(valve)
    with pytest.raises(optim.ProblemError, match=named):
        optim.plan(dae, optim.RestToRest({"luff.angle": 0.6}, {"luff.angle": angle}, 4.0, input_ends="holding"))


def test_an_equilibrium_beyond_a_stop_is_told():
    with pytest.warns(fb.errors.FlexblocksWarning, match=r"ram\.length = 1\.2\d+ m, whose range is 0\.9 to 1\.25"):
        fb.equilibrium(boom("ideal"), x={"luff.angle": 1.3})


def test_rest_against_a_stop_is_not():
    """Which yields by a thousandth of the stroke; pytest makes errors of warnings."""
    at = brentq(lambda angle: length(angle) - STROKE[1] - 1e-3 * (STROKE[1] - STROKE[0]), 0.6, 1.3)
    point = fb.equilibrium(boom("ideal"), x={"luff.angle": at})
    assert point["ram.length"] > STROKE[1]


@pytest.mark.parametrize("valve", VALVES)
def test_a_plan_stays_between_the_stops(valve):
    dae, at = boom(valve), 1.12
    problem = optim.RestToRest({"luff.angle": 0.6}, {"luff.angle": at}, 4.0, input_ends="holding")
    plan = optim.plan(dae, problem, intervals=20)
    assert plan.status == "converged"
    model = optim.pyomo_model(dae, problem, intervals=4)
    assert model.path[2, 1, "ram.length"].bounds == STROKE
    assert np.all((plan.trajectory["ram.length"] > STROKE[0]) & (plan.trajectory["ram.length"] < STROKE[1]))


def test_a_limit_of_ones_own_lies_within_the_stroke():
    dae = boom("ideal")

    def model(limit: tuple[float, float]):
        problem = optim.RestToRest({"luff.angle": 0.6}, {"luff.angle": 0.9}, 4.0, limits={"ram.length": limit})
        return optim.pyomo_model(dae, problem, intervals=4)

    assert model((0.5, 1.2)).path[2, 1, "ram.length"].bounds == (0.9, 1.2)
    with pytest.raises(optim.ProblemError, match=r"ram\.length = \(1\.5, 1\.6\); excludes the whole range .* 0\.9 to"):
        model((1.5, 1.6))


LONGER = {"ram.extended": 1.4}
LIFT = optim.Phase("lift", {"luff.angle": 0.9}, 4.0)


def test_a_stroke_that_is_symbolic_is_that_of_its_parameter():
    """The goal lies beyond the model's own stroke, and within the longer one."""
    dae = boom("ideal", ("ram.extended",))
    assert fb.equilibrium(dae, x={"luff.angle": 1.3}, p=LONGER)["ram.length"] == pytest.approx(length(1.3), abs=0.01)
    problem = optim.RestToRest({"luff.angle": 0.6}, {"luff.angle": 1.3}, 4.0, input_ends="holding")
    assert optim.pyomo_model(dae, problem, intervals=4, p=LONGER).path[2, 1, "ram.length"].bounds == (0.9, 1.4)
    with pytest.raises(optim.ProblemError, match=r"ram\.length = 1\.2\d+ .*limits are 0\.9 to 1\.25"):
        optim.pyomo_model(dae, problem, intervals=4)


def test_each_scenario_has_its_stroke():
    dae = boom("ideal", ("ram.extended",))
    problem = optim.Problem({"luff.angle": 0.6}, [LIFT], scenarios=[{}, LONGER])
    m = optim.pyomo_model(dae, problem, intervals=4)
    assert [m.scenario[i].path[2, 1, "ram.length"].bounds for i in (0, 1)] == [STROKE, (0.9, 1.4)]


def test_a_stroke_is_no_design_parameter():
    dae = boom("ideal", ("ram.extended",))
    problem = optim.Problem({"luff.angle": 0.6}, [LIFT], design={"ram.extended": (1.2, 1.4)})
    with pytest.raises(optim.ProblemError, match=r"design: ram\.extended: moves the range of ram\.length"):
        optim.pyomo_model(dae, problem, intervals=4)


@pytest.mark.slow
def test_the_posture_of_a_place_is_looked_for_between_the_stops():
    """Else the light end of a boom of four sections was turned by three radians, its cylinder 9 m into its foot."""
    arm = random_boom(3)
    dae = arm.assembled()
    plan = optim.plan(dae, TASKS["tip"](arm).problem, intervals=arm.intervals)
    assert plan.status == "converged"
    assert sum(attempt.iterations for attempt in plan.attempts) <= 40
    for name, block in dae.model.blocks.items():
        if isinstance(block, fb.HydraulicCylinder):
            there = plan.trajectory[f"{name}.length"]
            assert block.retracted - 1e-6 <= there.min()
            assert there.max() <= block.extended + 1e-6
