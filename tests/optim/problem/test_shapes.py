"""Capsules, lines, upright frames, speeds along the path: against brute-force sampling and finite differences."""

from __future__ import annotations

import warnings
from itertools import pairwise

import casadi as ca
import numpy as np
import pytest

from arms.rigid_chain import chain
from flexblocks import optim
from flexblocks.errors import FlexblocksError
from flexblocks.optim.collocation.transcription_options import TranscriptionOptions
from flexblocks.optim.presolve.path_values import resolved_path
from flexblocks.optim.presolve.transcribe import transcribe
from flexblocks.optim.problem.path_constraints.segments import squared_distance
from flexblocks.optim.problem.serialization import from_data, to_data
from flexblocks.optim.problem.signals.instant import instant_rows

KINDS = (
    optim.KeepOut(optim.Capsule((0.3, 0.2, -1.0), (0.3, 0.2, 1.0), 0.05), links=("link2",), radius=0.03, stations=2),
    optim.KeepIn(optim.Capsule((0.0, 0.0), (1.0, 0.0), 2.0), frames=("payload",)),
    optim.KeepApart(links=("link1", "link3"), frames=("payload",), radius=0.05, margin=0.02),
    optim.Follow("payload", ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0)), tolerance=0.1),
    optim.Upright("payload", tilt=0.3, axis=(0.0, 1.0, 0.0), direction=(0.0, 2.0, 0.0)),
    optim.SpeedLimit("payload", speed=0.5, turning=2.0),
)


def sampled(one, other, count=401):
    """Least distance of two segments by sampling both."""
    s = np.linspace(0.0, 1.0, count)[:, None]
    first, second = (ends[0] + s[: count if len(ends) > 1 else 1] * (ends[-1] - ends[0]) for ends in (one, other))
    return np.sqrt(((first[:, None] - second) ** 2).sum(axis=2).min())


@pytest.mark.parametrize("size", [1.0, pytest.param(1e3, marks=pytest.mark.slow)])
def test_distances_of_segments(size):
    """Crossing, apart, parallel, in line, as points: the least of 400 x 400 samples is never less, nor much more."""
    rng = np.random.default_rng(7)
    ends = [ca.SX.sym(name, 3) for name in "abcd"]
    d2 = squared_distance(ends[:2], ends[2:])
    function = ca.Function("d2", ends, [d2, ca.gradient(d2, ca.vertcat(*ends))])
    cases = [rng.normal(size=(4, 3)) for _ in range(30)]
    a, b = rng.normal(size=(2, 3))
    across = np.cross(b - a, [0.3, 1.0, -0.2])
    cases += [np.array([a, b, a + across, b + across]), np.array([a, b, b + across, a + across])]
    cases += [np.array([a, b, 2 * b - a, 3 * b - 2 * a]), np.array([a, b, a + 0.7 * across, 2 * b - a + 0.7 * across])]
    for case in cases:
        points = size * case
        value, slope = (part.full().ravel() for part in function(*points))
        least = sampled(points[:2], points[2:])
        assert np.sqrt(value[0]) == pytest.approx(least, abs=2e-2 * size, rel=1e-3)
        assert np.sqrt(value[0]) <= least + 1e-7 * size
        # The gradient exists where the nearest points are unique.
        h = 1e-6 * size * rng.normal(size=12)
        moved = [float(function(*(points + sign * h.reshape(4, 3)))[0]) for sign in (1, -1)]
        if np.linalg.norm(np.cross(points[1] - points[0], points[3] - points[2])) > 1e-6 * size**2:
            assert (moved[0] - moved[1]) / 2 == pytest.approx(slope @ h, rel=1e-3, abs=1e-9 * size**2)


def elbows(q: np.ndarray) -> np.ndarray:
    """The joints and the tip of the chain (4, 2)."""
    heading = np.cumsum(q)
    return np.vstack([[0.0, 0.0], 0.5 * np.cumsum(np.column_stack([np.cos(heading), np.sin(heading)]), axis=0)])


@pytest.mark.parametrize("size", [1e3, pytest.param(1e-3, marks=pytest.mark.slow)])
def test_what_takes_longer_at_the_speed_limit_than_there_is_time_is_refused(size):
    """Straight from place to place, and by the difference of the headings; just enough time is not refused."""
    dae, q0, q1 = chain(size), np.array([0.3, 0.5, 0.4]), np.array([0.9, -0.2, 1.4])
    way, turn = size * np.linalg.norm(elbows(q1)[3] - elbows(q0)[3]), (q1 - q0).sum()

    def transcribed(duration, **limit):
        ends = [dict(zip(dae.q_names, q.tolist(), strict=True)) for q in (q0, q1)]
        path = optim.SpeedLimit("payload", **limit)
        return transcribe(dae, optim.RestToRest(*ends, duration, path=path), TranscriptionOptions(intervals=4))

    for limit, needed in (({"speed": size}, way / size), ({"turning": 0.5}, 2.0 * turn)):
        with pytest.raises(FlexblocksError, match=f"payload has to go .* takes {needed:.4g} s at") as refused:
            transcribed(0.99 * needed, **limit)
        assert "Raise the limit or the duration" in str(refused.value)
        transcribed((0.5 * needed, 1.01 * needed), **limit)


def test_values_of_a_chain_of_links():
    dae = chain()
    path = resolved_path(dae, {}, KINDS)
    rng, h = np.random.default_rng(3), 1e-6
    names = list(path.names)
    assert not any("link1" in name and "link2" in name for name in names)
    line = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0]])
    for _ in range(8):
        q, v = rng.uniform(-2.5, 2.5, 3), rng.normal(size=3)
        values = dict(zip(names, np.array(path.function(instant_rows(dae, x=np.r_[q, v]), [])).ravel(), strict=True))
        at = elbows(q)
        links, tip = list(pairwise(at)), at[3]
        # (d^2 - R^2) / 2 R gives the distance back.
        radii = {"link2 outside capsule 1": 0.08, "link1 apart from link3": 0.12, "link2 apart from payload": 0.12}
        gap = {name: np.sqrt(2 * R * values[name] + R**2) for name, R in radii.items() if name in values}
        post = np.array([[0.3, 0.2]])
        assert gap["link2 outside capsule 1"] == pytest.approx(sampled(links[1], post), abs=1e-3)
        assert gap["link1 apart from link3"] == pytest.approx(sampled(links[0], links[2]), abs=2e-3)
        # The tube around the line, at its border at the latest.
        distance = min(sampled((tip,), piece, 4001) for piece in pairwise(line))
        kept = np.sqrt(0.1**2 - 2 * 0.1 * values["payload on line"])
        assert distance - 1e-4 <= kept <= distance + 0.02 * 0.1 + 1e-4
        tilt = abs((q.sum() + np.pi) % (2 * np.pi) - np.pi)
        C = 2 * np.sin(0.15)
        assert np.sqrt(C**2 - 2 * C * values["payload upright"]) == pytest.approx(2 * np.sin(tilt / 2))
        speed = np.linalg.norm(elbows(q + h * v)[3] - elbows(q - h * v)[3]) / (2 * h)
        assert np.sqrt(0.25 - values["payload within speed limit"]) == pytest.approx(speed, rel=1e-6)
        assert np.sqrt(4 - 4 * values["payload within speed limit of turning"]) == pytest.approx(abs(v.sum()))


def test_refused_by_name_and_written_to_files():
    problem = optim.RestToRest({"joint1.angle": 0.0}, {"joint1.angle": 1.0}, duration=2.0, path=KINDS)
    assert from_data(to_data(problem, "problem"), "problem") == problem
    for wrong, message in (
        (lambda: optim.Capsule((0, 0), (0, 0), 1.0), "A ball is an optim.Sphere"),
        (lambda: optim.Capsule((0, 0), (0, 0, 1), 1.0), "both have 2 or both 3"),
        (lambda: optim.KeepApart(links="link1"), "name two links or more"),
        (lambda: optim.KeepApart(links=("a", "b")), "a and b: radius and margin are 0"),
        (
            lambda: optim.KeepApart(links=("a", "b"), radius={"a": 0.1}),
            "radius: b; must be one number, or one for each",
        ),
        (lambda: optim.Follow("payload", ((0, 0),), 0.1), "two points or more"),
        (lambda: optim.Follow("payload", ((0, 0), (0, 0)), 0.1), "follow each other are the same"),
        (lambda: optim.Follow("payload", ((0, 0), (1, 0)), 0.0), "tolerance = 0.0; must be a finite number > 0"),
        (lambda: optim.Upright("payload", tilt=4.0), "tilt = 4 rad; must be less than pi"),
        (lambda: optim.Upright("payload", axis=(0, 0, 0)), "not all zero"),
        (lambda: optim.SpeedLimit("payload"), "no limit; give speed"),
        (lambda: optim.KeepOut(optim.Sphere((0, 0), 1.0), links="link1", radius=-1.0), "radius = -1.0"),
    ):
        with pytest.raises(optim.ProblemError, match=message):
            wrong()
    dae, stretched = chain(), {"joint1.angle": 0.1, "joint2.angle": 0.0, "joint3.angle": 0.1}
    for path, message in (
        (optim.KeepApart(links=("link1", "link2"), radius=0.1), "link1, link2 are joined to each other"),
        (optim.KeepApart(links=("link1", "arm"), radius=0.1), "no link 'arm'"),
        (optim.KeepApart(links=("link1", "link3"), radius=0.3), "link1 apart from link3 by 0.[0-9]* m too little"),
        (optim.Upright("payload", tilt=0.1, axis=(1, 0, 0), direction=(0, 1, 0)), "not payload upright, by about"),
        (optim.SpeedLimit("hook", speed=1.0), "hook"),
    ):
        asked = optim.RestToRest(stretched, stretched | {"joint1.angle": 1.0}, 1.0, path=path)
        with pytest.raises(optim.ProblemError, match=message):
            optim.plan(dae, asked, intervals=4)


def room(name: str, q: np.ndarray, v: np.ndarray, x: float, y: float) -> np.ndarray:
    """What is left of the tolerances below, a little wider between the points of the mesh, along a motion."""
    places, h = np.array([elbows(each) for each in q]), 1e-6
    tip = places[:, 3]
    if name == "line":
        return 0.012 - np.abs(tip[:, 1] - y)
    if name == "arc":
        return 0.012 - np.abs(np.hypot(tip[:, 0] - x + 0.4, tip[:, 1] - y) - 0.4)
    if name == "upright":
        return 0.052 - np.abs(q.sum(axis=1) - 1.2)
    if name == "speed":
        moved = [elbows(at + h * rate)[3] - elbows(at - h * rate)[3] for at, rate in zip(q, v, strict=True)]
        return 0.51 - np.linalg.norm(moved, axis=1) / (2 * h)
    return np.array([sampled(each[:2], each[2:]) for each in places]) - 0.157


@pytest.mark.slow
def test_plans_of_any_size_keep_them():
    """From cold, by the positions of the joints alone."""
    size = 1e3
    dae, q0 = chain(size), np.array([0.3, 0.5, 0.4])
    x, y = elbows(q0)[3]
    arc = [[x - 0.4 + 0.4 * np.cos(angle), y + 0.4 * np.sin(angle)] for angle in np.linspace(0, -np.pi, 33)]
    away = {"payload.x": (x - 0.8) * size, "payload.y": y * size}
    heading = (np.cos(1.2), np.sin(1.2), 0.0)
    line = (size * np.array([[x, y], [x - 0.8, y]])).tolist()
    cases = {
        "line": (q0, away, optim.Follow("payload", line, 0.01 * size)),
        "arc": (q0, away, optim.Follow("payload", (size * np.array(arc)).tolist(), 0.01 * size)),
        "upright": (q0, away | {"payload.yaw": 1.2}, optim.Upright("payload", 0.05, (1.0, 0.0, 0.0), heading)),
        "speed": (q0, away, optim.SpeedLimit("payload", speed=0.5 * size)),
        "apart": (
            np.array([0.3, 1.2, 1.9]),
            dict(zip(dae.q_names, (0.5, -1.2, -1.9), strict=True)),
            optim.KeepApart(links=("link1", "link3"), frames="payload", radius=0.08 * size),
        ),
    }
    for name, (start, goal, path) in cases.items():
        asked = optim.RestToRest(dict(zip(dae.q_names, start.tolist(), strict=True)), goal, 2.0, path=path)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", optim.PlanWarning)
            plan = optim.plan(dae, asked, intervals=20)
        assert sum(attempt.iterations for attempt in plan.attempts) < 450, name
        q, v, _ = np.split(plan.trajectory.x[::10], [3, 6], axis=1)
        assert np.min(room(name, q, v, x, y)) > 0, name
