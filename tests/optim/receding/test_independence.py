"""Plans belong to runs, not to laws: runs, copies, pickles, threads and processes are independent of each other."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from functools import cache

import numpy as np
import pytest

import flexblocks as fb
from flexblocks import control, optim, studies, tasks
from flexblocks.dae.compiler import find_compiler
from flexblocks.dae.dae import DAE

SAMPLE, GOAL = 0.01, "reference.joint1.angle"
START = {"joint1.angle": 0.4, "rotor1.angle": 0.4}
GOALS, TIMES = (0.1, 0.3, 0.6), SAMPLE * np.arange(13)

pytestmark = pytest.mark.skipif(find_compiler() is None, reason="loops without machine code do not pickle")


@cache
def arm() -> DAE:
    """Return a lever with a motor behind a spring, level."""
    model = fb.Model("lever", gravity=(0.0, 0.0, 0.0))
    joint, link = model.add(fb.Revolute("joint1", axis=(0, 0, 1))), model.add(fb.RigidLink("link1", 0.5, mass=0.3))
    motor, rotor = model.add(fb.TorqueSource("motor1", limit=4.0)), model.add(fb.Rotor("rotor1", inertia=0.01))
    spring = model.add(fb.TorsionalSpring("spring1", stiffness=60.0, damping=0.05))
    model.connect(motor.flange_b, rotor.flange_a)
    model.connect(rotor.flange_b, spring.flange_a)
    model.connect(spring.flange_b, joint.axis)
    model.connect(model.add(fb.Ground("ground")).frame_b, joint.frame_a)
    model.connect(joint.frame_b, link.frame_a)
    return fb.assemble(model)


@cache
def law() -> optim.MPC:
    return optim.MPC(arm(), optim.Tracking({"joint1.angle": None}, tolerance=0.01), SAMPLE, 0.4, 6, at=START)


@cache
def loop() -> DAE:
    return control.close_loop(arm(), law())


@cache
def alone(goal: float) -> np.ndarray:
    """Return the states (k, nx) of a run that nothing is beside."""
    return fb.simulate(loop(), TIMES, {GOAL: goal}, x0=START).x


def test_two_runs_of_one_loop_that_take_turns_are_as_each_alone() -> None:
    """Sample by sample, from the states alone."""
    goals, step = GOALS[:2], fb.stepper(loop(), SAMPLE)

    def moved(goal: float, x: np.ndarray, samples: int) -> list[np.ndarray]:
        found = [x]
        for _ in range(samples):
            found.append(step(found[-1], [goal]))
        return found

    single = [moved(goal, alone(goal)[0], 12) for goal in goals]
    turns = [[alone(goal)[0]] for goal in goals]
    for _ in range(12):
        for goal, states in zip(goals, turns, strict=True):
            states += moved(goal, states[-1], 1)[1:]
    assert np.array_equal(single, turns)


COPIES: dict[str, Callable[[DAE], DAE]] = {
    "copy": copy.copy,
    "deep copy": copy.deepcopy,
    "pickle": lambda dae: pickle.loads(pickle.dumps(dae)),
    "law anew": lambda dae: control.close_loop(arm(), pickle.loads(pickle.dumps(law()))),
}


@pytest.mark.parametrize("kind", COPIES)
def test_copies_and_pickles_are_as_the_loop_itself(kind: str) -> None:
    """With a run of the loop itself between two halves of theirs."""

    def halves(dae: DAE) -> np.ndarray:
        before = fb.simulate(dae, TIMES[:7], {GOAL: 0.3}, x0=START).x
        fb.simulate(loop(), TIMES[:4], {GOAL: 0.6}, x0=START)
        return np.vstack([before, fb.simulate(dae, TIMES[6:], {GOAL: 0.3}, x0=before[-1]).x])

    assert np.array_equal(halves(COPIES[kind](loop())), halves(loop()))
    # The second half goes on with the plan of the first, but for the steps of the integrator.
    assert halves(loop())[-1, :4] == pytest.approx(alone(0.3)[-1, :4], abs=1e-6)


def test_runs_in_threads_are_as_each_alone() -> None:
    runs = fb.simulate_batch(loop(), TIMES, {GOAL: list(GOALS)}, x0=START, threads=3)
    for i, goal in enumerate(GOALS):
        assert np.array_equal(runs["joint1.angle"][i], alone(goal)[:, loop().x.index("joint1.angle")])


@pytest.mark.slow
def test_studies_in_processes_are_as_each_run_alone() -> None:
    task = tasks.Simulate(arm(), TIMES, law=law(), x0=START, keep=["joint1.angle", "mpc.memory"])
    found = fb.study(task, studies.grid({GOAL: list(GOALS)}), executor=2)
    for i, goal in enumerate(GOALS):
        for name in task.keep or ():
            assert np.array_equal(found[name][i], alone(goal)[:, loop().x.index(name)])
