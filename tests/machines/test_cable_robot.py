"""A platform on eight ropes with winches, more than it has freedoms, of any size: held, led and moved with all taut."""

from __future__ import annotations

import itertools
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import flexblocks as fb
from flexblocks import optim
from flexblocks.optim.model.trajectories import TranscribedProblem, transcribed_problem
from flexblocks.optim.presolve.rigid_motion.quasi_static_path import quasi_static_path
from flexblocks.optim.presolve.rigid_motion.waypoint_spline import waypoint_spline
from flexblocks.optim.strategy.problem_warnings import warn_of_slack

ROPES = [f"rope{i}" for i in range(8)]
POSE = ("displacement_x", "displacement_y", "displacement_z", "rotation_x", "rotation_y", "rotation_z")


def anchors(size: float) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return the ends of the ropes: on the hall, and on the platform in its own axes."""
    corners = itertools.product((-1, 1), (-1, 1), (0, 1))
    return [
        (size * np.array([3 * a, 2 * b, 3 * c]), size * np.array([a, (0.3 if c else 1.0) * b, 1 - 2 * c]) / 4)
        for a, b, c in corners
    ]


@cache
def cable_robot(size: float = 1.0, mass: float = 50.0, rigidity: float = 1e6, winches: bool = True) -> fb.DAE:
    """Return a platform in a hall of 6 by 4 by 3 sizes, on ropes that are just taut in the middle, or on forces."""
    model = fb.Model("cable robot", gravity=(0.0, 0.0, -9.81))
    middle = np.array([0.0, 0.0, 1.5 * size])
    pose = model.add(fb.FreeMotion("pose", position=tuple(middle)))
    platform = model.add(fb.Payload("platform", mass, mass * size**2 / 30 * np.eye(3)))
    ground = model.add(fb.Ground("ground"))
    model.connect(ground.frame_b, pose.frame_a)
    model.connect(pose.frame_b, platform.frame_a)
    for name, (above, below) in zip(ROPES, anchors(size), strict=True):
        anchor = model.add(fb.FixedTransform(f"{name}_anchor", translation=tuple(above)))
        eye = model.add(fb.FixedTransform(f"{name}_eye", translation=tuple(below)))
        length = float(np.linalg.norm(above - below - middle))
        rope = fb.Cable(name, length, rigidity, damping_time=0.005, winch=True) if winches else fb.LineForce(name)
        model.add(rope)
        model.connect(ground.frame_b, anchor.frame_a)
        model.connect(pose.frame_b, eye.frame_a)
        model.connect(anchor.frame_b, rope.frame_a)
        model.connect(eye.frame_b, rope.frame_b)
    return fb.assemble(model)


def at(x: float, y: float, z: float, size: float = 1.0) -> dict[str, float]:
    values = (x * size, y * size, z * size, 0.0, 0.0, 0.0)
    return {f"pose.{name}": value for name, value in zip(POSE, values, strict=True)}


def task(size: float, duration: float, tension: tuple[float | None, float], kind: str = "tension", **changes):
    limits = {f"{rope}.{kind}": tension for rope in ROPES}
    there = at(0.8, -0.4, 1.1, size)
    return optim.RestToRest(at(0.0, 0.0, 1.5, size), there, duration, limits=limits, **changes)


@pytest.mark.parametrize("place", [(0.8, -0.4, 1.1), (-1.5, 1.0, 2.0), (2.0, 1.2, 0.6)])
def test_ropes_balance_the_platform_far_from_where_they_are_drawn(place: tuple[float, float, float]) -> None:
    """Their lengths at the start leave some of them slack by a metre there, and give the search no direction."""
    point = fb.equilibrium(cable_robot(), at(*place))
    tensions = np.array([point[f"{rope}.tension"] for rope in ROPES])
    assert np.all(tensions > -1e-9)
    force, moment = np.zeros(3), np.zeros(3)
    for tension, (above, below) in zip(tensions, anchors(1.0), strict=True):
        pull = tension * (above - below - place) / np.linalg.norm(above - below - place)
        force, moment = force + pull, moment + np.cross(below, pull)
    np.testing.assert_allclose(force, [0.0, 0.0, 50.0 * 9.81], atol=1e-6)
    np.testing.assert_allclose(moment, 0.0, atol=1e-6)


@pytest.mark.slow
def test_redundant_forces_hold_the_start_within_their_limits() -> None:
    """The least forces that hold it push as well, which ropes do not."""
    least = -8000.0
    dae = cable_robot(winches=False)
    assert max(fb.equilibrium(dae, at(0.0, 0.0, 1.5)).u) > 0  # a push
    plan = optim.plan(dae, task(1.0, 3.0, (least, -100.0), "force", input_ends="holding"), intervals=20)
    assert plan.status == "converged"
    assert plan.trajectory.u.max() <= -100.0 + 1e-3
    assert plan.trajectory.u.min() >= least - 1e-3


@pytest.mark.slow
def test_platforms_of_any_size_move_with_all_ropes_taut() -> None:
    size, mass, rigidity, duration, tension = 0.01, 0.005, 10.0, 0.3, (0.01, 0.8)
    plan = optim.plan(
        cable_robot(size, mass, rigidity), task(size, duration, tension, input_ends="holding"), intervals=20
    )
    assert plan.status == "converged"
    assert plan.statistics.iterations <= 50
    for rope in ROPES:
        low, high = np.min(plan.trajectory[f"{rope}.tension"]), np.max(plan.trajectory[f"{rope}.tension"])
        assert tension[0] * (1 - 1e-6) <= low <= high <= tension[1] * (1 + 1e-6)
    assert plan.replay().tip_miss < 1e-3 * size


@cache
def taut() -> TranscribedProblem:
    return transcribed_problem(optim.pyomo_model(cable_robot(), task(1.0, 3.0, (100.0, 8000.0)), intervals=5))


@pytest.mark.slow
def test_motions_between_postures_keep_ropes_between_slack_and_torn() -> None:
    """Straight lengths between two postures would stretch them by centimetres, at a million newtons a metre."""
    dae = cable_robot()
    t = taut().first[0]
    driven, shares = list(task(1.0, 3.0, (100.0, 8000.0)).start), np.linspace(0.0, 1.0, 33)
    path = quasi_static_path(dae, t.start, t.goal, driven)
    assert path is not None
    for states in (path.x(shares), waypoint_spline(dae, t.start.p, t.waypoints, 3.0)(shares)):
        for i, (above, below) in enumerate(anchors(1.0)):
            spanned = np.linalg.norm(above - below - states[:, :3], axis=1)  # but for turns, of which there are none
            strain = spanned / states[:, 12 + i] - 1
            assert 0 < strain.min() < strain.max() < 8e-3


@pytest.mark.slow
def test_slack_ropes_are_told() -> None:
    """Without limits some ropes hold the platform and the others hang: those that change their lengths least."""
    model = optim.pyomo_model(cable_robot(), optim.RestToRest(at(0, 0, 1.5), at(0.8, 0, 1.2), 3.0), intervals=5)
    with pytest.warns(optim.PlanWarning, match=r"rope\d.*slack at rest.*limits"):
        warn_of_slack(transcribed_problem(model))
    warn_of_slack(taut())


@pytest.mark.slow
def test_a_via_point_leaves_the_pulls_to_their_limits() -> None:
    """Of the postures there, with the turns free and the ropes at any pull, one within the limits is the guess."""
    problem = task(1.0, 3.0, (100.0, 8000.0), input_ends="holding")
    via = optim.Via({"pose.displacement_x": 0.3, "pose.displacement_z": 1.9}, fraction=0.5)
    plan = optim.plan(cable_robot(), replace(problem, via=via), intervals=10)
    assert plan.status == "converged"
    assert plan.statistics.iterations <= 60
