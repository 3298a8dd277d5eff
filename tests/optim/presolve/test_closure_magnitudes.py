"""Magnitudes of loop-closure forces: a pin bears no torque, and rounding is no magnitude."""

from __future__ import annotations

import numpy as np
import pytest

import flexblocks as fb
from arms.five_bar import five_bar
from flexblocks import optim
from flexblocks.optim.model.trajectories import transcribed_problem
from flexblocks.optim.presolve.magnitudes.characteristic_magnitudes import magnitudes

START = {"left.angle": 2.0, "right.angle": 1.1}
GOAL = {"left.angle": 2.4, "right.angle": 0.7}
UNITS = [(1.0, 1.0, 1.0), (1e-3, 1e3, 1e-3)]


def problem(time: float = 1.0) -> optim.RestToRest:
    return optim.RestToRest(START, GOAL, 0.6 * time, input_ends="holding")


@pytest.mark.parametrize(("length", "mass", "time"), UNITS)
def test_the_torque_of_a_free_pin_counts_as_its_forces_do(length, mass, time):
    dae = fb.assemble(five_bar(length=length, mass=mass, time=time))
    model = optim.pyomo_model(dae, problem(time), intervals=10)
    sizes = dict(zip(dae.tree.loops.multipliers, magnitudes(transcribed_problem(model).first[0])["f"], strict=True))
    torque = next(size for name, size in sizes.items() if "torque" in name) * time**2 / (mass * length**2)
    force = max(size for name, size in sizes.items() if "force" in name) * time**2 / (mass * length)
    # A tenth of what turns a rod's end as the force moves it; it was 2e-16, rounding.
    assert torque / force == pytest.approx(1.659e-3, rel=1e-3)
    again = [s * time**2 / (mass * length) for name, s in sizes.items() if "force" in name]
    assert np.max(again) == pytest.approx(1.9, rel=0.2)


@pytest.mark.slow
def test_a_linkage_of_stiff_rods_is_planned_at_once():
    stiffer = 10.0
    plan = optim.plan(fb.assemble(five_bar(stiffer)), problem(), intervals=20)
    assert plan.status == "converged"
    assert len(plan.attempts) == 1
    assert plan.statistics.iterations <= 25  # 240 and more, or none
    assert plan.replay().tip_miss < 1e-4


def test_a_place_is_found_without_leading_the_linkage_through_all_its_assemblies(monkeypatch):
    from flexblocks.constraints import continuation

    steps = []
    step = continuation._step
    monkeypatch.setattr(continuation, "_step", lambda *args: steps.append(1) or step(*args))
    dae = fb.assemble(five_bar())
    there = fb.equilibrium(dae, x=GOAL)
    place = optim.RestToRest(START, {"tool.x": there["tool.x"], "tool.y": there["tool.y"]}, 0.6)
    model = optim.pyomo_model(dae, place, intervals=2)
    assert model.q[2, "left.angle"].value == pytest.approx(2.4, abs=1e-6)
    assert model.q[2, "right.angle"].value == pytest.approx(0.7, abs=1e-6)
    assert len(steps) < 5000  # 50 000 and more for a single posture beyond a fold
