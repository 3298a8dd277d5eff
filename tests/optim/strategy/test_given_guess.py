"""First guesses that users give: plans, motions, tables and files."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest

import flexblocks as fb
from flexblocks import models, optim

ENDS = ({"joint1.angle": 0.0, "joint2.angle": 0.0}, {"joint1.angle": 1.0, "joint2.angle": -0.7})
LIMITS = {"motor1.torque": 3.5, "motor2.torque": 3.0}
NEAR = 15  # iterations from a motion of the solution, without its multipliers: three times those that are seen


@cache
def arm(modes: int = 1) -> fb.DAE:
    return fb.assemble(models.subudhi_morris_2002(modes=modes))


@cache
def two_links() -> fb.DAE:
    return arm()


def task(**changes: object) -> optim.RestToRest:
    return optim.RestToRest(*ENDS, **({"duration": 1.5, "limits": LIMITS} | changes))  # pyright: ignore[reportArgumentType]


@cache
def solution() -> optim.Plan:
    return optim.plan(two_links(), task(), intervals=30)


def planned(guess: object, intervals: int = 30, **changes: object) -> optim.Plan:
    return optim.plan(two_links(), task(**changes), intervals=intervals, guess=guess)  # pyright: ignore[reportArgumentType]


def iterations(plan: optim.Plan) -> int:
    assert [attempt.what for attempt in plan.attempts] == ["from the given guess"]
    assert plan.status == "converged"
    count = plan.attempts[0].iterations
    assert count is not None
    return count


def test_solutions_are_confirmed() -> None:
    plan = planned(solution())
    assert iterations(plan) <= 5
    assert plan.objective == pytest.approx(solution().objective, rel=1e-6)


def test_solutions_in_files_are_confirmed(tmp_path: Path) -> None:
    solution().save(tmp_path / "plan.nc")
    assert iterations(planned(tmp_path / "plan.nc")) <= 5
    assert iterations(planned(str(tmp_path / "plan.nc"))) <= 5


def test_solutions_of_free_duration_are_confirmed() -> None:
    rates = {f"der({name})": 30.0 for name in LIMITS}
    changes = {"duration": (0.5, 5.0), "objective": "time", "limits": LIMITS | rates}
    fast = optim.plan(two_links(), task(**changes), intervals=20)
    plan = planned(fast, 20, **changes)
    assert iterations(plan) <= 5
    assert plan.duration == pytest.approx(fast.duration, rel=1e-6)


@pytest.mark.parametrize("guess", ["trajectory", "replay", "table"])
def test_motions_of_the_solution(guess: str) -> None:
    found = solution()
    guesses = {
        "trajectory": found.trajectory,
        "replay": found.replay().trajectory,
        "table": {name: (found.trajectory.t, found.trajectory[name]) for name in (*two_links().x.names, *LIMITS)},
    }
    plan = planned(guesses[guess])
    assert iterations(plan) <= NEAR
    assert plan.objective == pytest.approx(solution().objective, rel=1e-6)


@pytest.mark.parametrize(
    ("other", "as_plan"), [("mesh", False), ("duration", True), ("discretization", False), ("rigid", True)]
)
def test_plans_of_other_meshes_durations_and_models(other: str, as_plan: bool) -> None:
    if other == "mesh":
        found = optim.plan(two_links(), task(), intervals=17)
    elif other == "duration":
        found = optim.plan(two_links(), task(duration=2.1), intervals=30)
    else:
        dae = arm(2) if other == "discretization" else fb.assemble(fb.stiffen(models.subudhi_morris_2002(modes=1)))
        found = optim.plan(dae, task(), intervals=30)
    plan = planned(found if as_plan else found.trajectory)
    assert iterations(plan) <= 2 * NEAR
    assert plan.objective == pytest.approx(solution().objective, rel=1e-6)


def test_a_guess_leads_around_the_other_side() -> None:
    """The elbow of a two-link arm bends either way; the guess decides which."""
    dae = two_links()
    start = {"joint1.angle": -0.6, "joint2.angle": 1.2}
    goal = {"joint1.angle": 0.8, "joint2.angle": 1.2}
    wall = optim.KeepOut(optim.Sphere(center=(0.63, 0.53, 0.0), radius=0.08), frames="payload")
    problem = optim.RestToRest(start, goal, duration=2.5, path=(wall,))
    t = [0.0, 1.25, 2.5]
    ways = []
    for bend in (0.5, 1.9):
        guess = {"joint1.angle": (t, [-0.6, 0.1, 0.8]), "joint2.angle": (t, [1.2, bend, 1.2])}
        ways.append(optim.plan(dae, problem, intervals=30, guess=guess))
    assert all(way.status == "converged" for way in ways)
    outside, inside = (np.hypot(way.trajectory["payload.x"], way.trajectory["payload.y"]) for way in ways)
    assert outside.max() > 0.87
    assert inside.max() < 0.83
    assert inside.min() < 0.78


def test_useless_guesses_do_no_harm() -> None:
    rng = np.random.default_rng(0)
    noise = {name: (np.linspace(0, 1, 40), rng.normal(size=40)) for name in two_links().x.names}
    with pytest.warns(optim.PlanWarning, match="the given guess breaks the equations"):
        plan = planned(noise)
    assert plan.status == "converged"
    assert plan.objective == pytest.approx(solution().objective, rel=1e-6)


def test_guesses_of_phases() -> None:
    dae = two_links()
    middle = {"joint1.angle": 0.5, "joint2.angle": -0.3}
    phases = (
        optim.Phase("out", duration=1.0, goal=middle),
        optim.Phase("back", duration=1.0, goal=ENDS[1]),
    )
    problem = optim.Problem(start=ENDS[0], phases=phases)
    found = optim.plan(dae, problem, intervals=12)
    for guess, most in ((found, 5), (found.trajectory, 2 * NEAR)):
        plan = optim.plan(dae, problem, intervals=12, guess=guess)
        assert iterations(plan) <= most
        assert plan.objective == pytest.approx(found.objective, rel=1e-5)


def test_the_own_guess_can_be_looked_at_and_changed() -> None:
    motion = optim.rigid_motion(two_links(), task(), intervals=30)
    assert motion["joint2.angle"][[0, -1]] == pytest.approx([0.0, -0.7])
    assert motion.u.shape[1] == 2
    plan = planned({"joint1.angle": (motion.t, motion["joint1.angle"])})
    assert plan.objective == pytest.approx(solution().objective, rel=1e-6)


@pytest.mark.parametrize(
    ("guess", "words"),
    [
        ({"joint3.angle": ([0, 1], [0, 1])}, r"'joint3\.angle'\. Did you mean joint"),
        ({"joint1.angle": ([0, 1], [0, np.nan])}, "finite numbers"),
        ({"joint1.angle": ([0, 1, 2], [0, 1])}, "two or more finite numbers each"),
        ({"joint1.angle": ([1, 0], [0, 1])}, "times must increase"),
        ({"joint1.angle": 3.0}, r"must be \(times, values\)"),
        ({}, "has no variable of this arm"),
        (3.0, "must be a Plan, a Trajectory"),
        ("nowhere.nc", "there is no such file"),
    ],
)
def test_refused_guesses(guess: object, words: str) -> None:
    with pytest.raises(fb.FlexblocksError, match=words):
        planned(guess)


def test_files_of_other_kinds_are_refused(tmp_path: Path) -> None:
    fb.linear_grid(two_links(), {"joint2.angle": [0.0, 0.5]}).save(tmp_path / "grid.nc")
    with pytest.raises(fb.FlexblocksError, match="holds no plan"):
        planned(tmp_path / "grid.nc")


def test_motions_in_files(tmp_path: Path) -> None:
    for name in ("run.nc", "run.csv"):
        solution().trajectory.save(tmp_path / name)
        assert iterations(planned(tmp_path / name)) <= NEAR
