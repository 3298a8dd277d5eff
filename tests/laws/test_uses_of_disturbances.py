"""Every verb takes a disturbance as zero unless it is given: the arm is the one on which none can act."""

from __future__ import annotations

import numpy as np
import pytest

import flexblocks as fb
from flexblocks import optim, tasks

DISTURBANCES = ("link.load_y", "wind.force_x", "wind.force_y", "wind.force_z")
TORQUE = "motor.torque"
OVER = {"joint.angle": [0.0, 0.4]}


def model(disturbed: bool) -> fb.Model:
    model = fb.Model("arm", gravity=(0.0, -9.81, 0.0))
    ground, joint, motor = (
        model.add(block) for block in (fb.Ground("ground"), fb.Revolute("joint"), fb.TorqueSource("motor"))
    )
    loads = {"load_y": "input"} if disturbed else {}
    link = fb.FlexibleBeam(
        "link", 1.0, 0.5, 20.0, discretization=fb.AssumedModes(2), damping_ratio=0.005, bending="y", **loads
    )
    link, load = model.add(link), model.add(fb.Payload("load", mass=0.1))
    model.connect(ground.frame_b, joint.frame_a)
    model.connect(motor.flange_b, joint.axis)
    model.connect(joint.frame_b, link.frame_a)
    model.connect(link.frame_b, load.frame_a)
    if disturbed:
        model.connect(load.frame_a, model.add(fb.WorldForce("wind")).frame_a)
    return model


PLAIN, DISTURBED = model(False), model(True)


def test_equilibria_and_linear_models_of_studies() -> None:
    of_plain, of_disturbed = (
        fb.study(tasks.Linearize(arm, outputs=["load.x"]), fb.studies.grid(OVER)) for arm in (PLAIN, DISTURBED)
    )
    np.testing.assert_allclose(of_disturbed["A"], of_plain["A"], rtol=1e-9, atol=1e-7)
    held = fb.study(tasks.Equilibrium(DISTURBED), fb.studies.grid(OVER))
    assert held["state"].values.tolist() == [1, 1]
    assert not any(np.any(held[name]) for name in DISTURBANCES)
    np.testing.assert_allclose(
        held[TORQUE], fb.study(tasks.Equilibrium(PLAIN), fb.studies.grid(OVER))[TORQUE], rtol=1e-9
    )


def test_a_case_that_names_a_disturbance_gives_it() -> None:
    held = fb.study(tasks.Equilibrium(DISTURBED, x={"joint.angle": 0.0}), fb.studies.grid({"wind.force_y": [0.0, 2.0]}))
    assert held["wind.force_y"].values.tolist() == [0.0, 2.0]
    assert held[TORQUE].values[0] - held[TORQUE].values[1] == pytest.approx(2.0, rel=1e-2)  # N, a metre away


def test_simulations_of_studies() -> None:
    torque = {TORQUE: fb.bang_bang(0.5, 0.2)}
    runs = [
        fb.study(tasks.Simulate(arm, (0.0, 0.2), torque, keep=["load.y"]), fb.studies.grid({"load.mass": [0.1, 0.2]}))
        for arm in (PLAIN, DISTURBED)
    ]
    np.testing.assert_allclose(runs[1]["load.y"], runs[0]["load.y"], atol=1e-6)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::flexblocks.errors.FlexblocksWarning")  # its mesh is coarse
def test_plans_of_studies() -> None:
    swing = optim.RestToRest(start={"joint.angle": 0.0}, goal={"joint.angle": 0.5}, duration=2.0, input_ends="holding")
    cases = fb.studies.grid({"load.mass": [0.1]})
    runs = [fb.study(tasks.Plan(arm, swing, options={"intervals": 8}), cases) for arm in (PLAIN, DISTURBED)]
    assert runs[1]["objective"].item() == pytest.approx(runs[0]["objective"].item(), rel=1e-7)


@pytest.mark.slow
def test_grids_of_linear_models() -> None:
    over = {"joint.angle": [0.0, 0.1]}
    plain, disturbed = (fb.linear_grid(fb.assemble(arm), over, outputs=["load.y"]) for arm in (PLAIN, DISTURBED))
    for angle in (0.0, 0.05, 0.1):
        ours, theirs = (grid.at({"joint.angle": angle}) for grid in (plain, disturbed))
        np.testing.assert_allclose(theirs.A, ours.A, rtol=1e-8, atol=1e-6)
        assert set(theirs.inputs) == {*DISTURBANCES, *ours.inputs}
        column = theirs.inputs.index(TORQUE)
        np.testing.assert_allclose(theirs.B[:, [column]], ours.B, rtol=1e-8, atol=1e-6)
    # The wind is an axis of a grid, too.
    windy = fb.linear_grid(fb.assemble(DISTURBED), {"wind.force_y": [0.0, 1.0]}, at={"joint.angle": 0.0})
    assert windy.at({"wind.force_y": 1.0}).operating_point["wind.force_y"] == 1.0


@pytest.mark.slow
def test_comparisons_of_discretizations() -> None:
    kinds = [fb.AssumedModes(1), fb.FiniteElements(1)]
    tables = [
        fb.compare(arm, kinds, t=(0.0, 0.02), at=at, output="load.y").table
        for arm in (PLAIN, DISTURBED)
        for at in (None, {"joint.angle": 0.3})
    ]
    for ours, theirs in zip(tables[:2], tables[2:], strict=True):
        columns = [name for name in ours if "operations" not in name]
        np.testing.assert_allclose(theirs[columns], ours[columns], rtol=1e-5, atol=1e-9)


def test_the_choice_of_damping() -> None:
    plain, disturbed = (fb.choose_damping(arm, 0.01, at={"joint.angle": 0.2}) for arm in (PLAIN, DISTURBED))
    assert disturbed.values == pytest.approx(plain.values, rel=1e-8)
    for ours, theirs in zip(plain.elsewhere, disturbed.elsewhere, strict=True):
        assert theirs.posture == ours.posture
        np.testing.assert_allclose(theirs.modes.damping_ratio, ours.modes.damping_ratio, rtol=1e-6, atol=1e-12)
