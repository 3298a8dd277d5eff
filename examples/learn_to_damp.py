"""A small policy learns to damp a flexible link by trial, and is compared with laws that are designed from the model.

python examples/learn_to_damp.py [generations]

An evolution strategy (Salimans and others 2017) in NumPy, in the vector environment of `flexblocks.learning`.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

import numpy as np

import flexblocks as fb
from flexblocks import control, learning

SAMPLE_TIME, DURATION, LIMIT = 0.02, 3.0, 0.3  # s, s, N m
ANGLE, BENDING, TORQUE = 1.0, 20.0, 2.0  # weights of squares [1/rad2, 1/m2, 1/(N m)2]
HIDDEN, POPULATION, CASES = 8, 32, 8  # units of the policy; pairs of trials, and episodes of each, in a generation
SPREAD, RATE = 0.1, 0.05  # of the trials, and of the steps, in the parameters of the policy

Policy = Callable[[np.ndarray], np.ndarray]


def arm() -> fb.DAE:
    """Return a link of 0.5 m, driven at its joint, that carries a payload which differs from case to case."""
    model = fb.Model("flexible link")
    ground = model.add(fb.Ground("ground"))
    motor = model.add(fb.TorqueSource("motor", limit=LIMIT))
    joint = model.add(fb.Revolute("joint", axis=(0, 0, 1)))
    beam = {"length": 0.5, "linear_density": 0.2, "flexural_rigidity": 1.0, "bending": "y"}
    link = model.add(fb.FlexibleBeam("link", **beam, discretization=fb.AssumedModes(1, tip="auto")))
    load = model.add(fb.Payload("payload", mass=0.1, inertia=0.005))
    model.connect(motor.flange_b, joint.axis)
    model.connect(ground.frame_b, joint.frame_a)
    model.connect(joint.frame_b, link.frame_a)
    model.connect(link.frame_b, load.frame_a)
    return fb.assemble(model, symbolic=("payload.mass",))


def cost(now: learning.Signals) -> np.ndarray:
    """Return the quadratic cost of a step (runs,)."""
    squares = ANGLE * now["joint.angle"] ** 2 + BENDING * now["link.tip_deflection_y"] ** 2
    return SAMPLE_TIME * (squares + TORQUE * now["motor.torque"] ** 2)


def task(dae: fb.DAE) -> learning.Task:
    """Return the task: from a turned and bent link, with a payload that the policy does not know, to rest at zero."""
    return learning.Task(
        dae,
        lambda now: -cost(now),
        sample_time=SAMPLE_TIME,
        duration=DURATION,
        start={"joint.angle": (-0.6, 0.6), "link.bending_y[1]": (-0.02, 0.02)},
        parameters={"payload.mass": (0.05, 0.2)},
        substeps=10,
    )


def returns(env: learning.ArmVectorEnv, policy: Policy, seed: int | list[int]) -> np.ndarray:
    """Return what one episode of each run earns (runs,)."""
    observed, _ = env.reset(seed=seed)
    earned = np.zeros(env.num_envs)
    for _ in range(env.task.steps):
        observed, rewards, *_ = env.step(policy(observed))
        earned += rewards
    return earned


def networks(parameters: np.ndarray, scale: np.ndarray) -> Policy:
    """Return a policy of networks with one hidden layer (runs, parameters), each of which acts in its own run."""
    runs, nx = len(parameters), len(scale)
    W1 = parameters[:, : nx * HIDDEN].reshape(runs, HIDDEN, nx)
    W2 = parameters[:, nx * HIDDEN :].reshape(runs, 1, HIDDEN)

    def act(observed: np.ndarray) -> np.ndarray:
        hidden = np.tanh(np.einsum("rhx,rx->rh", W1, observed / scale))
        return LIMIT * np.tanh(np.einsum("roh,rh->ro", W2, hidden))

    return act


def trained(task: learning.Task, generations: int, scale: np.ndarray, seed: int = 0) -> np.ndarray:
    """Return the parameters of a policy, learned by an evolution strategy with mirrored trials and Adam."""
    random = np.random.default_rng(seed)
    env = learning.ArmVectorEnv(task, 2 * POPULATION * CASES)
    mean = 0.1 * random.standard_normal((len(scale) + 1) * HIDDEN)
    first, second = np.zeros_like(mean), np.zeros_like(mean)
    for generation in range(generations):
        trials = random.standard_normal((POPULATION, len(mean)))
        both = np.concatenate([mean + SPREAD * trials, mean - SPREAD * trials])
        # All trials of a generation meet the same cases.
        policy = networks(np.repeat(both, CASES, axis=0), scale)
        earned = shared_cases(env, policy, generation).reshape(2, POPULATION, CASES).mean(axis=2)
        ranks = earned.ravel().argsort().argsort().reshape(earned.shape) / (earned.size - 1) - 0.5
        gradient = (ranks[0] - ranks[1]) @ trials / (POPULATION * SPREAD)
        first, second = 0.9 * first + 0.1 * gradient, 0.99 * second + 0.01 * gradient**2
        unbiased = first / (1 - 0.9 ** (generation + 1)), second / (1 - 0.99 ** (generation + 1))
        mean = mean + RATE * unbiased[0] / (np.sqrt(unbiased[1]) + 1e-8)
    return mean


def shared_cases(env: learning.ArmVectorEnv, policy: Policy, seed: int) -> np.ndarray:
    """Return what each run earns where run i begins as case i modulo CASES."""
    return returns(env, policy, [1000 * seed + i % CASES for i in range(env.num_envs)])


def best_pd(task: learning.Task, names: list[str]) -> np.ndarray:
    """Return the gains (1, nx) of the PD law of the joint that costs least, of a grid of them."""
    grid = np.geomspace(0.01, 1.0, 12)
    gains = np.zeros((len(grid) ** 2 * CASES, 1, len(names)))
    pairs = np.repeat([(kp, kd) for kp in grid for kd in grid], CASES, axis=0)
    gains[:, 0, [names.index("joint.angle"), names.index("der(joint.angle)")]] = pairs
    env = learning.ArmVectorEnv(task, len(gains))
    act = lambda observed: np.clip(-np.einsum("rux,rx->ru", gains, observed), -LIMIT, LIMIT)  # noqa: E731
    earned = shared_cases(env, act, 0).reshape(-1, CASES).mean(axis=1)
    return gains[CASES * int(earned.argmax())]


def main() -> dict[str, float]:
    """Train, compare, and return the mean cost of each policy over the same new cases."""
    generations = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    dae = arm()
    learned_task = task(dae)
    scale = np.array([0.5, 0.02, 2.0, 0.2])  # of angle, bending and their rates
    begun, clock = time.process_time(), time.perf_counter()
    parameters = trained(learned_task, generations, scale)
    print(f"{generations} generations: {time.perf_counter() - clock:.0f} s, {time.process_time() - begun:.0f} s of CPU")
    names, nominal = list(dae.x.names), {"payload.mass": 0.1}
    plant = fb.assemble(dae.model)
    weights = {"joint.angle": ANGLE, "link.tip_deflection_y": BENDING}
    gain = control.LQR(weights, TORQUE).gain(plant, SAMPLE_TIME)
    pd = best_pd(learned_task, names)
    test = learning.ArmVectorEnv(learned_task, 256)
    policies: dict[str, Policy] = {
        "no torque": lambda observed: np.zeros((len(observed), 1)),
        "control.PD of the joint": lambda observed: np.clip(-observed @ pd.T, -LIMIT, LIMIT),
        f"control.LQR, payload of {nominal['payload.mass']} kg": lambda observed: np.clip(
            -observed @ gain.T, -LIMIT, LIMIT
        ),
        "learned": networks(np.repeat(parameters[None], 256, axis=0), scale),
    }
    costs = {name: float(-returns(test, policy, 10**6).mean()) for name, policy in policies.items()}
    for name, value in costs.items():
        print(f"{name:32s} {value:.4f}")
    return costs


if __name__ == "__main__":
    main()
