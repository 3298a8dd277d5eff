"""Iterations of NumPy are those of the kernel in C, and take their place where there is no compiler."""

from __future__ import annotations

import pickle
from functools import cache

import numpy as np
import pytest

import flexblocks as fb
from flexblocks import control, optim
from flexblocks.dae import compiler
from flexblocks.dae.dae import DAE
from flexblocks.errors import FlexblocksError, FlexblocksWarning
from flexblocks.optim.receding.interpreted.callback import IterationCallback

SAMPLE = 0.01
START = {"joint1.angle": 0.4, "rotor1.angle": 0.4}
FAR = 30  # the trial that begins far from the plan
needs_compiler = pytest.mark.skipif(compiler.find_compiler() is None, reason="there is no C compiler")


@cache
def arm() -> DAE:
    """Return a lever under weight with a motor behind a spring."""
    model = fb.Model("lever", gravity=(0.0, -9.81, 0.0))
    ground, joint = model.add(fb.Ground("ground")), model.add(fb.Revolute("joint1", axis=(0, 0, 1)))
    motor, rotor = model.add(fb.TorqueSource("motor1", limit=6.0)), model.add(fb.Rotor("rotor1", inertia=0.02))
    spring = model.add(fb.TorsionalSpring("spring1", stiffness=80.0, damping=0.1))
    link = model.add(fb.RigidLink("link1", length=0.6, mass=0.2))
    load = model.add(fb.Payload("payload", mass=0.2, inertia=0.001))
    model.connect(motor.flange_b, rotor.flange_a)
    model.connect(rotor.flange_b, spring.flange_a)
    model.connect(spring.flange_b, joint.axis)
    model.connect(ground.frame_b, joint.frame_a)
    model.connect(joint.frame_b, link.frame_a)
    model.connect(link.frame_b, load.frame_a)
    return fb.assemble(model)


def law(**options: object) -> optim.MPC:
    task = optim.Tracking({"payload.y": None, "payload.x": 0.5}, tolerance=2e-3)
    return optim.MPC(arm(), task, SAMPLE, 0.6, 8, at=START, **options)  # type: ignore[arg-type]


def trials(mpc: optim.MPC) -> tuple[np.ndarray, np.ndarray]:
    """Return commands and last states of both for states and references, far ones and nan among them."""
    rng = np.random.default_rng(3)
    x0, sizes = arm().x.values(START), np.array([0.02, 0.02, 0.2, 0.2])
    states = [x0 + sizes * rng.normal(size=len(x0)) * 0.2 for _ in range(40)]
    states[20], states[FAR] = np.full(len(x0), np.nan), x0 + 60 * sizes
    numpy = IterationCallback(f"test_{id(mpc)}", mpc._setup.interpreted)
    commands, ends = [], []
    for iteration in (mpc.iteration, numpy):
        state, own = np.zeros(len(mpc.states)), []
        for k, x in enumerate(states):
            reference = 0.2 if k < 10 else 5.0 if k < 15 else 0.3
            state, command = (
                part.full().ravel() for part in iteration(state, x, np.array([reference, 0.0]), np.zeros(0))
            )
            own.append(command)
        commands.append(np.array(own))
        ends.append(state[1:])
    return np.array(commands), np.array(ends)


@needs_compiler
@pytest.mark.parametrize(
    "options",
    [
        pytest.param({}, marks=pytest.mark.slow),
        {"rates": {"motor1.torque": 300.0}, "limits": {"der(joint1.angle)": 0.5, "payload.x": (-np.inf, 0.45)},
         "disturbance_time": None},
        {"limits": {"der(der(rotor1.angle))": 15.0}},
        pytest.param({"delay": 2 * SAMPLE}, marks=pytest.mark.slow),
        pytest.param({"delay": 0.3 * SAMPLE}, marks=pytest.mark.slow),
        {"delay": 1.5 * SAMPLE},
    ],
    ids=["plain", "limits", "of accelerations", "two samples", "within a sample", "delay"],
)  # fmt: skip
@pytest.mark.filterwarnings("ignore:MPC.*; its limits are")  # they act from the start
def test_both_command_the_same(options: dict) -> None:
    """Fall-backs and what they count included; to the tolerance of the quadratic programme."""
    mpc = law(**options)
    (compiled, interpreted), (after, other) = trials(mpc)
    off = np.abs(compiled - interpreted).max(axis=1) / 6.0
    assert off[:FAR].max() < 1e-6
    assert off[FAR:].max() < 1e-4  # the state far away makes more of what rounding has left
    named = dict(zip(mpc.states.names[1:], zip(after, other, strict=True), strict=True))
    assert named["mpc.resets"][0] >= 1
    assert named["mpc.unknown_samples"][0] == 1
    for name, (one, two) in named.items():
        if "qp_iterations" not in name:  # the kernel's begin with active sets
            assert abs(one - two) <= 1e-5, name


def test_without_a_compiler_numpy_takes_the_iterations(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiler, "find_compiler", lambda: None)
    mpc = law()
    with pytest.warns(FlexblocksWarning, match="taken by NumPy"):
        loop = control.close_loop(arm(), mpc)
    motion = fb.simulate(loop, (0.0, 0.3), {"reference.payload.y": 0.25}, x0=START, rtol=1e-5)
    report = mpc.report(motion)
    assert report.steps == 30
    assert not report.compiled
    assert str(report).endswith("without a compiler, by NumPy")
    assert len(report.times) == 30
    # Runs are independent of each other, as those of the kernel are.
    assert np.array_equal(motion.x, fb.simulate(loop, (0.0, 0.3), {"reference.payload.y": 0.25}, x0=START, rtol=1e-5).x)
    pickle.loads(pickle.dumps(mpc))
    with pytest.raises(FlexblocksError, match="cannot be pickled"):
        pickle.dumps(loop)
    monkeypatch.undo()
    if compiler.find_compiler() is None:
        return
    compiled = fb.simulate(
        control.close_loop(arm(), law()), (0.0, 0.3), {"reference.payload.y": 0.25}, x0=START, rtol=1e-5
    )
    assert np.abs(compiled["payload.y"] - motion["payload.y"]).max() < 1e-6
