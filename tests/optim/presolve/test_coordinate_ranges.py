"""Coordinates keep the ranges of their blocks in plans: a beam is never pushed in farther than it is long."""

from __future__ import annotations

from functools import cache

import pytest

import flexblocks as fb
from flexblocks import optim

START, GOAL = {"luff.angle": 0.5, "boom.displacement": 2.0}, {"luff.angle": 0.9, "boom.displacement": 4.5}


@cache
def telescope() -> fb.DAE:
    """Return a boom of 6 m that slides out of a hinged hub, with a load."""
    model = fb.Model("telescope", gravity=(0.0, -9.81, 0.0))
    ground, hinge = model.add(fb.Ground("ground")), model.add(fb.Revolute("luff", start=0.5))
    motor, ram = model.add(fb.TorqueSource("motor")), model.add(fb.ForceSource("ram"))
    boom = model.add(fb.SlidingBeam("boom", 6.0, 45.0, 1.2e7, discretization=fb.AssumedModes(1, tip="auto"), start=2.0))
    model.connect(ground.frame_b, hinge.frame_a)
    model.connect(motor.flange_b, hinge.axis)
    model.connect(hinge.frame_b, boom.frame_a)
    model.connect(ram.flange_b, boom.axis)
    model.connect(boom.frame_b, model.add(fb.Payload("load", 400.0)).frame_a)
    return fb.assemble(model)


def problem(**limits: tuple[float, float]) -> optim.RestToRest:
    named = {"boom.displacement": limits["boom"]} if limits else {}
    return optim.RestToRest(START, GOAL, 8.0, limits=named, input_ends="holding")


def test_a_plan_keeps_a_beam_out_of_its_hub():
    dae = telescope()
    plan = optim.plan(dae, problem(), intervals=20)
    assert plan.status == "converged"
    assert plan.statistics.iterations <= 100
    out = plan.trajectory["boom.displacement"]
    # Least effort draws it in, as far as it may: a quarter of what is out at the ends. Unbounded it went to -10 m.
    assert out.min() == pytest.approx(0.5, abs=0.02)


def test_a_limit_by_name_takes_the_place_of_what_is_kept_out():
    model = optim.pyomo_model(telescope(), problem(boom=(0.1, 5.0)), intervals=4)
    assert model.q[2, "boom.displacement"].bounds == (0.1, 5.0)


def test_no_limit_goes_beyond_the_range():
    model = optim.pyomo_model(telescope(), problem(boom=(-3.0, 9.0)), intervals=4)
    assert model.q[2, "boom.displacement"].bounds == (0.0, 6.0)
    with pytest.raises(optim.ProblemError, match=r"excludes the whole range of the model's own limits, 0 to 6 m"):
        optim.pyomo_model(telescope(), problem(boom=(6.5, 7.0)), intervals=4)
