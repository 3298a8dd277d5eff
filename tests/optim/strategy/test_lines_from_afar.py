"""A line that the smooth motion of all joints leaves by far: a motion along it is tried before higher prices."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import flexblocks as fb
from flexblocks import optim
from flexblocks.optim.model.trajectories import transcribed_problem
from flexblocks.optim.strategy.guesses.line_guess import postures_on_line

ALUMINIUM = fb.Material(density=2700.0, youngs_modulus=7e10, poissons_ratio=0.33)
START, GOAL = {"joint1.angle": 0.4, "joint2.angle": -0.8}, {"joint1.angle": 1.2, "joint2.angle": -0.3}


@cache
def arm() -> fb.DAE:
    """Return two links that bend far, in a vertical plane."""
    model = fb.Model("two links", gravity=(0.0, -9.81, 0.0))
    place = model.add(fb.Ground("ground")).frame_b
    for number, (length, height, inertia) in enumerate(((1.0, 8e-3, 0.02), (0.8, 6e-3, 0.01)), 1):
        joint = model.add(fb.Revolute(f"joint{number}", start=START[f"joint{number}.angle"]))
        motor, rotor = model.add(fb.TorqueSource(f"motor{number}")), model.add(fb.Rotor(f"rotor{number}", inertia))
        link = model.add(
            fb.FlexibleBeam(
                f"link{number}",
                length,
                section=fb.Rectangle(width=height, height=0.05),
                material=ALUMINIUM,
                discretization=fb.StrainModes(2),
                bending="y",
            )
        )
        model.connect(place, joint.frame_a)
        model.connect(motor.flange_b, rotor.flange_a)
        model.connect(rotor.flange_b, joint.axis)
        model.connect(joint.frame_b, link.frame_a)
        place = link.frame_b
    model.connect(place, model.add(fb.Payload("tip", 0.5)).frame_a)
    return fb.assemble(model)


def along_a_line(dae: fb.DAE) -> tuple[optim.RestToRest, np.ndarray, float]:
    """Return the problem, the ends of its line (2, 3) and the tolerance."""
    ends = np.array([[fb.equilibrium(dae, x=x)[f"tip.{axis}"] for axis in "xyz"] for x in (START, GOAL)])
    tolerance = 0.05 * float(np.linalg.norm(ends[1] - ends[0]))
    line = optim.Follow("tip", ends.tolist(), tolerance=tolerance)
    place = {"tip.x": float(ends[1, 0]), "tip.y": float(ends[1, 1])}
    return optim.RestToRest(START, place, 1.5, path=line, input_ends="holding"), ends, tolerance


@pytest.mark.slow
def test_postures_lie_on_a_line_that_the_smooth_motion_leaves():
    dae = arm()
    problem, ends, tolerance = along_a_line(dae)
    way = postures_on_line(transcribed_problem(optim.pyomo_model(dae, problem, intervals=4)).first[0])
    assert way is not None
    assert not way.is_near
    along = (ends[1] - ends[0]) / np.linalg.norm(ends[1] - ends[0])
    point = replace(fb.equilibrium(dae, x=START), x=way.postures[4][1])
    offset = np.array([point[f"tip.{axis}"] for axis in "xyz"]) - ends[0]
    assert np.linalg.norm(offset - along * (along @ offset)) < tolerance


@pytest.mark.slow
def test_such_a_line_is_followed_by_a_motion_along_it():
    dae = arm()
    problem, ends, tolerance = along_a_line(dae)
    plan = optim.plan(dae, problem, intervals=30)
    assert plan.status == "converged"
    assert sum(attempt.iterations for attempt in plan.attempts) <= 120
    places = np.array([plan.trajectory[f"tip.{axis}"] for axis in "xyz"]).T - ends[0]
    along = (ends[1] - ends[0]) / np.linalg.norm(ends[1] - ends[0])
    assert np.linalg.norm(places - np.outer(places @ along, along), axis=1).max() < 1.05 * tolerance
