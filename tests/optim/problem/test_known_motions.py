"""Plans of arms whose base moves as is known beforehand: shakers, moving ground."""

from __future__ import annotations

from functools import cache

import casadi as ca
import numpy as np
import pytest
from scipy.interpolate import CubicSpline

import flexblocks as fb
from flexblocks import optim
from flexblocks.errors import FlexblocksError
from flexblocks.optim.problem.serialization import from_data, to_data
from flexblocks.optim.strategy.refinement.model_refinement import richer_arm

TABLE, ANGLE = "table.displacement", "hinge.angle"
SHAKES, LENGTH, MASS, LOAD = "0.05*(1 - cos(4*time)) + 0.02*time", 0.8, 1.5, 2.0


@cache
def shaken(beam: bool = False) -> fb.DAE:
    """Return an arm of one hinge on a table that slides along x, in the vertical plane."""
    model = fb.Model("arm on a shaker", gravity=(0.0, -9.81, 0.0))
    ground, table = model.add(fb.Ground("ground")), model.add(fb.Prismatic("table", axis=(1, 0, 0)))
    hinge, motor = model.add(fb.Revolute("hinge")), model.add(fb.TorqueSource("motor", limit=60.0))
    rod = fb.RigidLink("rod", LENGTH, MASS)
    if beam:
        rod = fb.FlexibleBeam(
            "rod", LENGTH, MASS / LENGTH, 200.0, discretization=fb.AssumedModes(1, tip="free"), bending="y"
        )
    model.add(rod)
    load = model.add(fb.Payload("load", LOAD))
    model.connect(ground.frame_b, table.frame_a)
    model.connect(table.frame_b, hinge.frame_a)
    model.connect(motor.flange_b, hinge.axis)
    model.connect(hinge.frame_b, rod.frame_a)
    model.connect(rod.frame_b, load.frame_a)
    return fb.assemble(model, prescribed=TABLE)


def problem(**changes) -> optim.RestToRest:
    asked = {"start": {ANGLE: -0.5}, "goal": {ANGLE: 0.8}, "duration": 1.5, "prescribed": {TABLE: SHAKES}}
    return optim.RestToRest(**asked | changes)


@pytest.mark.slow
def test_a_plan_on_a_shaken_table_replays_and_its_torque_is_that_of_the_equation_of_motion():
    """J q'' + (m/2 + M) l (g cos q - a sin q) = torque, with the table's acceleration a = 0.8 cos 4 t."""
    plan = optim.plan(shaken(), problem(), intervals=24)
    assert plan.status == "converged"
    assert f"while moving {TABLE} as {SHAKES}" in plan.summary()
    for run, table, torque in ((plan.trajectory, 1e-5, 1e-3), (plan.replay().trajectory, 1e-6, 2e-2)):
        exact = 0.05 * (1 - np.cos(4 * run.t)) + 0.02 * run.t
        np.testing.assert_allclose(run[TABLE], exact, atol=table)
        moment = (MASS / 2 + LOAD) * LENGTH
        weight = moment * (9.81 * np.cos(run[ANGLE]) - 0.8 * np.cos(4 * run.t) * np.sin(run[ANGLE]))
        spin = (MASS / 3 + LOAD) * LENGTH**2 * run[f"der({ANGLE})"]
        work = np.trapezoid(run["motor.torque"] - weight, run.t)
        assert work == pytest.approx(spin[-1] - spin[0], abs=torque)
        assert run[ANGLE][-1] == pytest.approx(0.8, abs=1e-4)
        assert run[f"der({ANGLE})"][-1] == pytest.approx(0.0, abs=1e-3)
    assert np.ptp(plan.trajectory[TABLE]) > 0.1


def test_known_motions_are_written_as_text():
    assert from_data(to_data(problem(), "problem"), "problem").prescribed == {TABLE: SHAKES}
    with pytest.raises(FlexblocksError, match=r"problem.prescribed.table.displacement"):
        to_data(problem(prescribed={TABLE: lambda t: 0.1 * t}), "problem")


@pytest.mark.slow
def test_texts_functions_and_splines_say_the_same_motion():
    times = np.linspace(0.0, 1.5, 301)
    values = 0.05 * (1 - np.cos(4 * times)) + 0.02 * times
    ends = ((1, 0.02), (1, 0.2 * np.sin(6.0) + 0.02))
    told = (SHAKES, lambda t: 0.05 * (1 - ca.cos(4 * t)) + 0.02 * t, CubicSpline(times, values, bc_type=ends))
    plans = [optim.plan(shaken(), problem(prescribed={TABLE: motion}), intervals=12) for motion in told]
    for other in plans[1:]:
        torque = other.trajectory["motor.torque"]
        np.testing.assert_allclose(torque, plans[0].trajectory["motor.torque"], atol=2e-3 * np.abs(torque).max())


@pytest.mark.slow
def test_a_beam_on_a_shaken_table_in_two_phases_with_held_inputs(tmp_path):
    """The table comes to rest at the end; the time of its motion runs through both phases, in files and audits too."""
    course = "0.03*sin(3.141592653589793*time/2)**3"
    phases = [optim.Phase("up", {ANGLE: 0.6}, 0.8), optim.Phase("back", {ANGLE: 0.0}, 1.2)]
    asked = optim.Problem({ANGLE: 0.0}, phases, prescribed={TABLE: course}, input_ends="holding")
    plan = optim.plan(shaken(beam=True), asked, intervals=24)
    assert plan.status == "converged"
    run = plan.replay().trajectory
    np.testing.assert_allclose(run[TABLE], 0.03 * np.sin(np.pi * run.t / 2) ** 3, atol=1e-7)
    assert run[ANGLE][-1] == pytest.approx(0.0, abs=1e-3)
    assert plan.replay().misses["load"] < 1e-3
    assert np.interp(0.8, run.t, run[ANGLE]) == pytest.approx(0.6, abs=1e-3)
    plan.save(tmp_path / "plan.nc")
    again = fb.load(tmp_path / "plan.nc").replay().trajectory
    np.testing.assert_allclose(again.x, run.x, atol=1e-9)
    audit = plan.audit(fb.AssumedModes(2, tip="free"))
    assert audit.dae.prescribed == (TABLE,)
    assert audit.dae.tree.size == plan.transcribed.dae.tree.size + 1


@pytest.mark.slow
def test_arms_made_anew_for_a_plan_keep_locks_and_prescriptions():
    """Stiffer ones and finer ones: the table stays prescribed, and a wrist locked."""
    model = shaken(beam=True).model
    wrist, tool = model.add(fb.Revolute("wrist")), model.add(fb.RigidLink("tool", 0.1, 0.2))
    model.connect("rod.frame_b", wrist.frame_a)
    model.connect(wrist.frame_b, tool.frame_a)
    dae = fb.assemble(model, prescribed=TABLE, locked={"wrist.angle": 0.3})
    finer = richer_arm(dae, fb.assemble(fb.rediscretize(model, fb.AssumedModes(2, tip="free"))))
    assert finer is not None
    assert finer.prescribed == (TABLE,)
    assert dict(finer.locked) == {"wrist.angle": 0.3}
    assert finer.u.names == dae.u.names


def test_what_cannot_be_is_refused():
    dae = shaken()
    for asked, message in (
        ({"prescribed": {"tabel.displacement": "time"}}, r"'tabel.displacement' is no prescribed coordinate .*Did you"),
        ({"start": {ANGLE: 0.0, TABLE: 0.3}}, r"table.displacement = 0.3 at the start, but its known motion has 0 at"),
        ({"limits": {"table.prescribed_acceleration": 9.0}}, r"but table.displacement has a known motion; leave the"),
    ):
        with pytest.raises(FlexblocksError, match=message):
            optim.plan(dae, problem(**asked))
    for asked, message in (
        ({"duration": (1.0, 2.0), "objective": "time"}, r"table.displacement: a known motion, and a free duration"),
        ({"prescribed": {TABLE: "0.1*sqrt(1 - time)"}}, r"table.displacement: is not finite at 1.05 s"),
        ({"prescribed": {TABLE: "0.1*payload.x"}}, r"payload.x.*only time is known here"),
        ({"prescribed": {TABLE: None}}, r"= None; must be a number, a text in time"),
    ):
        with pytest.raises(FlexblocksError, match=message):
            problem(**asked)
