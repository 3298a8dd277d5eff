"""Periodic motions end in the state in which they began."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.interpolate import CubicSpline

import flexblocks as fb
from arms.library import subudhi_morris
from arms.linkages import parallelogram
from arms.turns import INERTIA, TORQUE, hinge
from flexblocks import models, optim
from flexblocks.optim.problem.serialization import from_data, to_data

ANGLE, OTHER = "joint1.angle", "joint2.angle"


def cycle(*places: float, duration: object = 1.0, **more: object) -> optim.Problem:
    """Return a periodic motion through angles, each after a phase of its own."""
    first, *others = places
    phases = [optim.Phase(f"to {i}", None, duration, passing={ANGLE: place}) for i, place in enumerate(others)]
    return optim.Problem({ANGLE: first}, [*phases, optim.Phase("back", None, duration)], periodic=True, **more)


def test_least_effort_through_points_is_the_periodic_spline() -> None:
    """The integral of the squared acceleration is least along the periodic cubic spline."""
    places = (0.0, 1.0, 0.4)
    plan = optim.plan(hinge(), cycle(*places, objective=optim.Effort(rate_weight=0.0)), intervals=4, inputs="linear")
    spline = CubicSpline(np.arange(4.0), (*places, places[0]), bc_type="periodic")
    t = np.linspace(0.0, 3.0, 3001)
    np.testing.assert_allclose(plan.inputs[TORQUE](t), INERTIA * spline.derivative(2)(t), atol=1e-6)
    states = plan.trajectory.x
    np.testing.assert_allclose(states[-1], states[0], atol=1e-9)
    assert states[0][1] == pytest.approx(spline.derivative()(0.0), abs=1e-6)
    assert "ends as it began" in plan.summary()


def test_the_shortest_period_is_that_of_full_torque_to_and_fro() -> None:
    """There and back from standstill, each in 2 sqrt(I d / u)."""
    limits = {TORQUE: 0.6}
    plan = optim.plan(
        hinge(), cycle(0.0, 1.0, duration="free", objective="time", limits=limits), intervals=10, inputs="constant"
    )
    assert plan.status == "converged"
    assert plan.duration == pytest.approx(4 * np.sqrt(INERTIA / 0.6), rel=1e-6)


def test_flexible_arms_repeat() -> None:
    """Simulated for two periods, the second one is the first."""
    dae = subudhi_morris(links=1, modes=1)
    plan = optim.plan(dae, cycle(0.0, 0.8, objective=optim.Effort(rate_weight=0.05)), intervals=40)
    assert plan.status == "converged"
    x, T = plan.trajectory.x, plan.duration
    np.testing.assert_allclose(x[-1], x[0], atol=1e-7)
    u = plan.inputs[TORQUE]
    assert u(0.0) == pytest.approx(float(u(T)), abs=1e-7)
    t = np.linspace(0.0, 2 * T, 801)
    torque = fb.piecewise_linear(t, u(np.mod(t, T)))
    run = fb.simulate(dae, t, {TORQUE: torque}, x0=dict(zip(dae.x.names, x[0], strict=True)))
    np.testing.assert_allclose(run[ANGLE][400:], run[ANGLE][:401], atol=2e-3)


def test_scenarios_have_periods_of_their_own() -> None:
    dae = fb.assemble(models.subudhi_morris_2002(links=1), symbolic=("payload.mass",))
    problem = cycle(0.0, 0.5, scenarios=[{"payload.mass": mass} for mass in (0.05, 0.06)], limits={TORQUE: 5.0})
    plan = optim.plan(dae, problem, intervals=20)
    assert plan.status == "converged"
    for motion in plan.trajectories:
        np.testing.assert_allclose(motion.x[-1], motion.x[0], atol=1e-7)


def test_files_keep_the_period() -> None:
    problem = cycle(0.0, 1.0)
    assert from_data(to_data(problem, "p"), "p") == problem
    assert from_data(to_data(problem, "p"), "p").periodic


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"phases": [optim.Phase("back", {ANGLE: 0.0}, 1.0)]}, "'back' has a goal or passes states at its end"),
        ({"input_ends": "holding"}, 'take input_ends="free"'),
    ],
)
def test_periods_that_are_none_are_refused(changes: dict, words: str) -> None:
    asked = {"start": {ANGLE: 0.0}, "phases": [optim.Phase("back", None, 1.0)], "periodic": True}
    with pytest.raises(optim.ProblemError, match=words):
        optim.Problem(**(asked | changes))


def test_places_and_loops_are_refused() -> None:
    problem = optim.Problem({"payload.x": 0.5, "payload.y": 0.2}, [optim.Phase("back", None, 1.0)], periodic=True)
    with pytest.raises(optim.ProblemError, match=r"payload\.x, payload\.y: a periodic motion passes states"):
        optim.plan(subudhi_morris(), problem)
    model = parallelogram()
    model.connect(model.add(fb.TorqueSource("motor")).flange_b, model["hinge0"].axis)
    loop = fb.assemble(model)
    name = loop.q_names[0]
    with pytest.raises(optim.ProblemError, match=r"periodic, but .* has closed loops"):
        optim.plan(loop, optim.Problem({name: -0.7}, [optim.Phase("back", None, 1.0)], periodic=True))
