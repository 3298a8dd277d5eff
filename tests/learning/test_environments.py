"""Arms as environments: Gymnasium's checks, the numbers of simulations, and one run in a vector is the run alone."""

from __future__ import annotations

import subprocess
import sys
import warnings
from functools import cache
from typing import Any

import numpy as np
import pytest
import scipy.stats

import flexblocks as fb
from arms.library import subudhi_morris
from flexblocks import control, learning
from flexblocks.errors import ComputationError, NameUnknownError, ParameterError

gymnasium = pytest.importorskip("gymnasium", reason="Gymnasium is not installed: there are no environments.")


def reward(now: learning.Signals) -> np.ndarray:
    return -(now["joint1.angle"] ** 2) - now["payload.y"] ** 2 - 0.1 * now["motor1.torque"] ** 2


@cache
def arm() -> fb.DAE:
    return fb.assemble(subudhi_morris(links=1, modes=1).model, symbolic=("payload.mass",))


def task(**more: Any) -> learning.Task:
    given: dict[str, Any] = {
        "sample_time": 0.02,
        "duration": 0.1,
        "actions": {"motor1.torque": 0.5},
        "start": {"joint1.angle": (-0.5, 0.5)},
        "parameters": {"payload.mass": scipy.stats.uniform(0.1, 0.2)},
        "substeps": 4,
    }
    return learning.Task(arm(), reward, **given | more)


def test_gymnasium_finds_nothing_wrong() -> None:
    from gymnasium.utils.env_checker import check_env

    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        check_env(learning.ArmEnv(task()), skip_render_check=True)
    # Signals have no bounds.
    assert not [one for one in told if "infinity" not in str(one.message)]


def test_steps_are_those_of_simulations() -> None:
    """Outputs, inputs and parameters among observations and in rewards are those of the trajectory."""
    names = ("joint1.angle", "payload.y", "payload.mass", "payload.velocity_x", "time", "motor1.torque")
    env = learning.ArmEnv(task(observations=names, duration=0.2, substeps=40))
    first, _ = env.reset(seed=4)
    actions = np.random.default_rng(0).uniform(-0.5, 0.5, (10, 1))
    steps = [env.step(action) for action in actions]
    mass, angle = float(first[2]), float(first[0])
    run = fb.simulate(
        arm().with_outputs(["payload.velocity_x"]),
        0.02 * np.arange(11),
        {"motor1.torque": fb.piecewise_constant(0.02 * np.arange(10), actions[:, 0])},
        x0={"joint1.angle": angle},
        p={"payload.mass": mass},
    )
    assert 0.1 < mass < 0.3
    for name in names[:2] + names[3:4]:
        found = np.array([first[names.index(name)], *(step[0][names.index(name)] for step in steps)])
        assert np.allclose(found, run[name], rtol=1e-4, atol=1e-5), name
    wanted = -(run["joint1.angle"][1:] ** 2) - run["payload.y"][1:] ** 2 - 0.1 * actions[:, 0] ** 2
    assert np.allclose([step[1] for step in steps], wanted, rtol=1e-4)
    assert [step[3] for step in steps] == [False] * 9 + [True]
    assert steps[-1][0][4] == pytest.approx(0.2)
    with pytest.raises(ComputationError, match=r"call reset\(\) first"):
        env.step(actions[0])


def test_a_run_of_many_is_the_run_alone() -> None:
    """For any number of threads, and through the ends of episodes, which do not end together."""
    ends = {"terminated": lambda now: np.abs(now["joint1.angle"]) > 0.4, "duration": 0.12}
    actions = np.random.default_rng(1).uniform(-0.5, 0.5, (15, 5, 1))
    many = [learning.ArmVectorEnv(task(**ends), 5, threads=threads) for threads in (1, 2)]
    seen = [[envs.reset(seed=7)[0], *(envs.step(action) for action in actions)] for envs in many]
    for one, other in zip(seen[0][1:], seen[1][1:], strict=True):
        assert all(np.array_equal(a, b) for a, b in zip(one[:4], other[:4], strict=True))
    ended = 0
    for i in range(5):
        env = learning.ArmEnv(task(**ends))
        assert np.array_equal(env.reset(seed=7 + i)[0], seen[0][0][i])
        over = False
        for k, action in enumerate(actions):
            step = seen[0][k + 1]
            if over:  # begun anew, and the action left out
                alone: Any = (env.reset()[0], 0.0, False, False)
            else:
                alone = env.step(action[i])
            assert np.array_equal(alone[0], step[0][i])
            assert alone[1:4] == (step[1][i], step[2][i], step[3][i])
            over = bool(alone[2] or alone[3])
            ended += bool(alone[2])
    assert ended > 0


def test_seeds_of_one_number_begin_alike() -> None:
    envs = learning.ArmVectorEnv(task(), 4)
    first, _ = envs.reset(seed=[3, 5, 3, 5])
    assert np.array_equal(first[0], first[2])
    assert np.array_equal(first[1], first[3])
    assert not np.array_equal(first[0], first[1])
    again, _ = envs.reset()
    assert not np.array_equal(first[0], again[0])
    with pytest.raises(ParameterError, match="3 seeds for 4 runs"):
        envs.reset(seed=[1, 2, 3])


def test_a_state_that_is_not_finite_ends_the_episode() -> None:
    """Steps that are far too long for the arm's vibration."""
    env = learning.ArmVectorEnv(task(sample_time=5.0, duration=500.0, substeps=1, lost=-7.0), 2)
    env.reset(seed=0)
    for _ in range(100):
        observed, rewards, terminated, _, _ = env.step(np.full((2, 1), 0.5))
        assert np.isfinite(observed).all()
        if terminated.any():
            break
    assert rewards[terminated].tolist() == [-7.0] * int(terminated.sum())


def test_references_of_a_sampled_loop_are_actions() -> None:
    loop = control.close_loop(
        fb.assemble(subudhi_morris(links=1, modes=1).model),
        control.Sampled(control.PD({"rotor1.angle": "motor1.torque"}, kp=2.0, kd=0.5), 0.005),
    )
    follow = {"reference.rotor1.angle": 1.0}
    often = {"sample_time": 0.02, "duration": 4.0, "actions": follow, "substeps": 8}
    env = learning.ArmEnv(learning.Task(loop, lambda now: now["joint1.angle"], **often))
    env.reset(seed=0)
    earned = [env.step(np.array([0.3]))[1] for _ in range(200)]
    assert np.mean(earned[-50:]) == pytest.approx(0.3, abs=0.01)
    with pytest.raises(ParameterError, match="must be a multiple of the periods"):
        learning.Task(loop, lambda now: 0.0, sample_time=0.007, duration=1.0, actions=follow)


@pytest.mark.parametrize(
    ("more", "error", "message"),
    [
        ({"sample_time": 0.0}, ParameterError, "sample_time = 0.0; must be a number > 0"),
        ({"duration": 0.001}, ParameterError, "shorter than sample_time"),
        ({"actions": {"motor1.tork": 1.0}}, NameUnknownError, "Did you mean motor1.torque"),
        ({"actions": {"motor1.torque": np.inf}}, ParameterError, "must be finite. Give the block a limit"),
        ({"actions": {}}, ParameterError, "has no actuator"),
        ({"start": {"joint1.angel": 0.0}}, NameUnknownError, "Did you mean joint1.angle"),
        ({"parameters": {"payload.inertia": 0.0}}, NameUnknownError, "payload.inertia"),
        ({"start": {"joint1.angle": (0.5, -0.5)}}, ParameterError, r"must be \(lowest, highest\)"),
        ({"observations": ("payload.speed",)}, NameUnknownError, "payload.speed"),
        ({"terminated": lambda now: "no"}, ParameterError, "terminated returns"),
    ],
)
def test_refusals(more: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        task(**more)


def test_functions_are_tried_before_anything_is_learned() -> None:
    brief: dict[str, Any] = {"sample_time": 0.1, "duration": 1.0, "actions": {"motor1.torque": 1.0}}
    with pytest.raises(ParameterError, match=r"reward returns float64 of shape \(1,\) for 2 runs"):
        learning.Task(arm(), lambda now: np.zeros(1), **brief)
    with pytest.raises(NameUnknownError, match=r"Did you mean joint1\.angle"):
        learning.Task(arm(), lambda now: now["joint1.angel"], **brief)


def test_actions_are_checked() -> None:
    env = learning.ArmEnv(task())
    env.reset(seed=0)
    with pytest.raises(ParameterError, match=r"must be finite numbers of shape \(1,\)"):
        env.step(np.array([np.nan]))


def test_gymnasium_is_imported_for_environments_alone() -> None:
    script = "import sys; from flexblocks import learning; learning.Task; print('gymnasium' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["False"]
