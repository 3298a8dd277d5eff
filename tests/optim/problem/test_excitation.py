"""Motions with the most information: information as states, its derivatives, what a fit knows already."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

import flexblocks as fb
from flexblocks import optim
from flexblocks.identification.information import state_names, unit, with_information
from flexblocks.identification.prediction.problem import Problem
from flexblocks.identification.prediction.recorded import recorded
from flexblocks.identification.prediction.resolved import resolved
from flexblocks.optim.next_experiment import known_information

NAMES = ("spring.stiffness", "payload.mass")
NOISE = {"rotor.angle": 1e-4, "joint.angle": 1e-4}
T = np.arange(0, 0.5, 5e-3)
TORQUE = np.sign(np.sin(25 * T))


@cache
def arm(gravity: float = 0.0) -> fb.DAE:
    model = fb.Model("elastic arm", gravity=(0.0, -gravity, 0.0))
    ground, motor = model.add(fb.Ground("ground")), model.add(fb.TorqueSource("motor"))
    rotor = model.add(fb.Rotor("rotor", inertia=0.02))
    spring = model.add(fb.TorsionalSpring("spring", stiffness=60.0, damping=0.02))
    joint = model.add(fb.Revolute("joint", damping=0.05))
    link = model.add(fb.RigidLink("link", length=0.4, mass=0.3))
    payload = model.add(fb.Payload("payload", mass=0.4, inertia=1e-3))
    model.connect(motor.flange_b, rotor.flange_a)
    model.connect(rotor.flange_b, spring.flange_a)
    model.connect(spring.flange_b, joint.axis)
    model.connect(ground.frame_b, joint.frame_a)
    model.connect(joint.frame_b, link.frame_a)
    model.connect(link.frame_b, payload.frame_a)
    return fb.assemble(model, symbolic=NAMES)


@cache
def gathered() -> fb.Trajectory:
    dae = with_information(arm(), NAMES, NOISE)
    return fb.simulate(dae, T, u={"motor.torque": fb.piecewise_constant(T, TORQUE)})


def test_information_is_that_of_a_fit() -> None:
    run = gathered()
    y = {name: run[name] for name in NOISE}
    record = fb.Record(T, {"motor.torque": TORQUE}, y)
    matrix = np.zeros((2, 2))
    for (i, j), name in zip(((0, 0), (1, 0), (1, 1)), state_names(NAMES), strict=True):
        matrix[i, j] = matrix[j, i] = unit(NOISE, 5e-3) * run[name][-1]
    bound = np.sqrt(np.diag(np.linalg.inv(matrix)))
    measured = tuple(NOISE)
    unknowns = resolved(arm(), NAMES, measured, [record])
    problem = Problem(arm(), [recorded(arm(), record, measured)], measured, unknowns, NOISE, {}, None, False, False)
    weights = problem.weights(unknowns.start(), problem.first_deviations())
    assert weights is not None
    own = np.sqrt(np.diag(np.linalg.inv(problem.evaluate(unknowns.start(), weights).information)))
    assert bound == pytest.approx(own, rel=0.05)


def test_nothing_is_gathered_at_rest_and_any_value_stays() -> None:
    dae = with_information(arm(9.81), NAMES, NOISE)
    point = fb.equilibrium(dae, x={"joint.angle": -1.0})
    assert np.all(point.x[4:] == 0)
    assert with_information(arm(9.81), NAMES, NOISE) is dae


@pytest.mark.slow
def test_a_planned_motion_tells_more_than_a_quintic() -> None:
    aim = optim.Excitation(NAMES, NOISE, sample_time=5e-3)
    motion: dict[str, Any] = {"start": {"joint.angle": 0.0}, "goal": {"joint.angle": 0.8}, "duration": 1.0}
    limits = {"motor.torque": 2.0}
    known = optim.RestToRest(**motion, limits=limits)
    quintic = optim.plan(arm(), known).trajectory
    torque = fb.piecewise_linear(quintic.t, quintic["motor.torque"])
    calm = fb.simulate(with_information(arm(), NAMES, NOISE), (0, 1.0), u={"motor.torque": torque})
    plan = optim.plan(
        arm(), optim.RestToRest(**motion, limits=limits, objective=aim + 1e-3 * optim.Effort()), intervals=40
    )
    best, usual = aim.deviations(plan.replay().trajectory), aim.deviations(calm)
    assert np.prod(list(best.values())) < 0.7 * np.prod(list(usual.values()))


@pytest.mark.slow
def test_the_next_experiment_reckons_with_what_is_known() -> None:
    rng, run = np.random.default_rng(0), gathered()
    y = {name: run[name] + 1e-4 * rng.normal(size=len(T)) for name in NOISE}
    fit = fb.identify(arm(), fb.Record(T, {"motor.torque": TORQUE}, y), NAMES, NOISE, compiled=False)
    known = known_information(fit)
    shares = [fit.deviations[name] / fit[name] for name in NAMES]
    assert np.sqrt(np.diag(np.linalg.inv(known))) == pytest.approx(shares, rel=1e-3)
    task = optim.RestToRest(
        start={"joint.angle": 0.0}, goal={"joint.angle": 0.8}, duration=1.0, limits={"motor.torque": 2.0}
    )
    plan = optim.next_experiment(fit, task, intervals=30)
    after = optim.Excitation(NAMES, NOISE, sample_time=5e-3, information=known).deviations(plan)
    assert all(after[name] < share for name, share in zip(NAMES, shares, strict=True))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"parameters": ()}, "is empty"),
        ({"noise": {}}, "must be a dict"),
        ({"noise": {"joint.angle": 0.0}}, "must be a number > 0"),
        ({"criterion": "E"}, 'must be "D" or "A"'),
        ({"information": np.eye(3)}, "is of shape"),
    ],
)
def test_refusals(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(optim.ProblemError, match=message):
        optim.Excitation(**({"parameters": NAMES, "noise": NOISE} | arguments))
