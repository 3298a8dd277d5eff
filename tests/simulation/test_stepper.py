"""Compiled steps and rollouts: orders, energies, closed forms, and the same digits whichever way steps are taken."""

from __future__ import annotations

import copy
import logging
import pickle
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import pytest

import flexblocks as fb
from arms.driven import upright_arm
from arms.one_link import DCMotor, HardeningSpring, joint_arm
from arms.sampled_loop import LIMIT, REFERENCE, sampled_loop
from flexblocks import tasks
from flexblocks.dae import compiler
from flexblocks.errors import ComputationError, FlexblocksWarning, NameUnknownError, ParameterError

needs_compiler = pytest.mark.skipif(compiler.find_compiler() is None, reason="there is no C compiler")

STEP = 1e-3


@pytest.fixture(autouse=True, scope="module")
def own_cache(tmp_path_factory: pytest.TempPathFactory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FLEXBLOCKS_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture
def no_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", "/nowhere/cc")


@cache
def rigid() -> fb.DAE:
    return upright_arm(links=2, modes=0)


@cache
def spring_and_damper(stiffness: float = 40.0, damping: float = 0.3) -> fb.DAE:
    """A wheel of 0.02 kg m2 between a spring and a damper."""
    model = fb.Model("oscillator")
    ground, spring = model.add(fb.Ground("ground")), model.add(fb.TorsionalSpring("spring", stiffness=stiffness))
    wheel, joint = model.add(fb.Rotor("wheel", inertia=0.02)), model.add(fb.Revolute("joint", damping=damping))
    link = model.add(fb.RigidLink("link", length=0.1, mass=0.0))
    model.connect(model.add(fb.Fixed("wall")).flange_b, spring.flange_a)
    model.connect(spring.flange_b, wheel.flange_a)
    model.connect(wheel.flange_b, joint.axis)
    model.connect(ground.frame_b, joint.frame_a)
    model.connect(joint.frame_b, link.frame_a)
    return fb.assemble(model)


def energies(dae: fb.DAE, states: np.ndarray) -> np.ndarray:
    return sum(np.array(part).ravel() for part in dae.energy(states.T, []))


def start(dae: fb.DAE, runs: int) -> np.ndarray:
    x0 = np.tile(dae.x.start, (runs, 1))
    x0[:, : dae.tree.size] += np.random.default_rng(3).uniform(-0.3, 0.3, (runs, dae.tree.size))
    return x0


def test_rk4_keeps_the_energy_of_an_undamped_arm_to_its_order() -> None:
    """The energy error of a fixed time goes with h^4 at least."""
    dae = rigid()
    errors = []
    for step in (0.02, 0.01, 0.005):
        samples = round(1.0 / step)
        states = fb.stepper(dae, step).rollout({"joint1.angle": 0.5}, np.zeros((samples, 2)))[0]
        energy = energies(dae, states)
        errors.append(np.max(np.abs(energy - energy[0])))
    assert np.all(np.log2(np.array(errors[:-1]) / errors[1:]) > 3.7)
    assert errors[-1] < 1e-5 * np.ptp(np.array(dae.energy(states.T, [])[0]))


@pytest.mark.parametrize(("method", "order"), [("semi-implicit", 1), ("rk4", 4), ("rk8", 8)])
def test_orders_by_step_halving(method: str, order: int) -> None:
    dae = rigid()
    exact = fb.stepper(dae, 0.5, "rk8", substeps=400).rollout({"joint1.angle": 0.5}, np.zeros((1, 2)))[0, -1]
    counts = {1: (400, 800, 1600), 4: (80, 160, 320), 8: (20, 40, 80)}[order]
    ends = [fb.stepper(dae, 0.5, method, substeps=n)({"joint1.angle": 0.5}) for n in counts]
    errors = np.array([np.max(np.abs(end - exact)) for end in ends])
    orders = np.log2(errors[:-1] / errors[1:])
    assert np.all(orders > order - 0.4)
    assert np.all(orders < order + 2.0)


def test_a_semi_implicit_step_of_an_oscillator() -> None:
    """(J + h d + h^2 k) a = -d v - k q - h k v, and the coordinate moves with the new rate."""
    k, d, J, h, q, v = 40.0, 0.3, 0.02, 0.05, 0.1, -0.2
    dae = spring_and_damper(k, d)
    assert dae.q_names == ("joint.angle",)
    a = (-d * v - k * q - h * k * v) / (J + h * d + h**2 * k)
    got = fb.stepper(dae, h, "semi-implicit")([q, v])
    np.testing.assert_allclose(got, [q + h * (v + h * a), v + h * a], rtol=1e-9)


def test_semi_implicit_steps_are_stable_for_joints_of_any_stiffness_and_damping() -> None:
    for stiffness, damping in ((4e7, 0.0), (0.0, 4e5), (4e7, 4e3)):
        dae = spring_and_damper(stiffness, damping)
        states = fb.stepper(dae, 0.01, "semi-implicit").rollout([0.1, 1.0], np.zeros((500, len(dae.u))))[0]
        energy = energies(dae, states)
        assert energy[-1] <= energy[0]
        assert np.max(energy) <= energy[0] * (1 + 1e-12)


@needs_compiler
@pytest.mark.parametrize("method", ["rk4", "semi-implicit"])
@pytest.mark.filterwarnings("ignore:.*energies are out of balance")  # of the method of order 1, at these steps
def test_threads_steps_and_simulations_have_the_same_digits(method: str) -> None:
    dae = upright_arm(links=2, modes=1, damping=0.1)
    step, runs = fb.stepper(dae, STEP, method, substeps=2), 7
    x0, U = start(dae, runs), np.random.default_rng(1).uniform(-0.5, 0.5, (runs, 50, 2))
    states = step.rollout(x0, U, threads=1)
    assert states.shape == (runs, 51, len(dae.x))
    for threads in (2, 8):
        np.testing.assert_array_equal(step.rollout(x0, U, threads=threads), states)
    x = x0[4]
    for k in range(50):
        x = step(x, U[4, k])
        np.testing.assert_array_equal(x, states[4, k + 1])
    times = STEP * np.arange(51)
    held = {name: fb.piecewise_constant(times[:-1], U[4, :, i]) for i, name in enumerate(dae.u.names)}
    for arm in (dae, dae.compile(strict=True)):
        run = fb.simulate(arm, times, held, x0[4], method=method, step=STEP / 2)
        np.testing.assert_array_equal(run.x, states[4])
    batch = fb.simulate_batch(dae, times, {n: [s] * 2 for n, s in held.items()}, x0[3:5], method=method, step=STEP / 2)
    np.testing.assert_array_equal(batch["joint2.angle"][1], states[4, :, dae.x.index("joint2.angle")])


@pytest.mark.parametrize(
    ("delay", "sample_time", "step"),
    [(0.0, 1e-3, 1e-3), (2.5e-3, 1e-3, 1e-3), (0.4e-3, 3e-3, 2e-3)],
)
def test_sampled_loops_with_delays_and_saturation(delay: float, sample_time: float, step: float) -> None:
    """As integrated to a tight tolerance by another method, sample by sample; the torque is at its limit."""
    loop, samples = sampled_loop(delay, sample_time), 60
    one, times = fb.stepper(loop, step, "rk8", substeps=8), step * np.arange(samples + 1)
    states = one.rollout(U={REFERENCE: np.full(samples, 1.0)})[0]
    run = fb.simulate(loop, times, {REFERENCE: 1.0}, method="adams", rtol=1e-11, atol=1e-13)
    assert np.max(np.abs(run["motor1.torque"])) == LIMIT
    np.testing.assert_allclose(states, run.x, rtol=0, atol=1e-8)
    fixed = fb.simulate(loop, times, {REFERENCE: 1.0}, method="rk8", step=step / 8)
    np.testing.assert_array_equal(states, fixed.x)
    x, u = loop.x.start, loop.u.values({REFERENCE: 1.0})
    for time in times[:-1]:
        x = one(x, u, t=time)
    np.testing.assert_array_equal(x, states[-1])


@needs_compiler
@pytest.mark.parametrize("method", ["rk4", "semi-implicit"])
def test_without_a_compiler_steps_are_the_same(no_compiler: None, method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    link = fb.RigidLink("link", length=0.5, mass=0.1)
    algebraic = fb.assemble(joint_arm(beam=link, drive=(DCMotor("motor"), HardeningSpring("hard"))))
    for dae in (sampled_loop(delay=2.5e-3), algebraic):
        U = np.full((20, len(dae.u)), 0.7)
        with pytest.warns(FlexblocksWarning, match="CasADi's virtual machine takes its steps, some 40 times slower"):
            slow = fb.stepper(dae, STEP, method).rollout(U=U)
        with monkeypatch.context() as patch:
            patch.delenv("CC")
            fast = fb.stepper(dae, STEP, method).rollout(U=U)
        np.testing.assert_allclose(slow, fast, rtol=0, atol=1e-12)
        assert np.ptp(slow, axis=1).max() > 1e-6


def test_attitudes_change_their_coordinates_within_a_rollout() -> None:
    """A free body turns for seconds; its energy and angular momentum about its center stay."""
    model = fb.Model("free body")
    ground, base = model.add(fb.Ground("ground")), model.add(fb.FreeMotion("base"))
    body = model.add(fb.RigidBody("body", mass=1.0, inertia=(1.0, 2.0, 3.0)))
    model.connect(ground.frame_b, base.frame_a)
    model.connect(base.frame_b, body.frame_a)
    dae = fb.assemble(model)
    x0 = dict(zip((f"der(base.rotation_{axis})" for axis in "xyz"), (0.3, 5.0, 0.1), strict=True))
    states = fb.stepper(dae, STEP).rollout(x0, np.zeros((3000, 0)))[0]
    rotation = states[:, [dae.x.index(f"base.rotation_{axis}") for axis in "xyz"]]
    assert np.max(np.linalg.norm(np.diff(rotation, axis=0), axis=1)) > 1.0  # a chart was left
    np.testing.assert_allclose(energies(dae, states), energies(dae, states[:1])[0], rtol=1e-10)
    run = fb.simulate(dae, STEP * np.arange(3001), x0=x0, method="rk4", step=STEP)
    np.testing.assert_array_equal(run.x, states)


def test_parameters_and_start_states_by_name_and_by_run() -> None:
    link, payload = fb.RigidLink("link", length=0.5, mass=0.1), fb.Payload("payload", mass=0.1)
    dae = fb.assemble(joint_arm(beam=link, payload=payload, drive=(fb.TorqueSource("motor"),)), ("payload.mass",))
    masses = [0.1, 0.2, 0.3]
    step = fb.stepper(dae, STEP)
    states = step.rollout(
        {"joint.angle": [0.0, 0.1, 0.2]}, {"motor.torque": np.full(10, 0.2)}, {"payload.mass": masses}
    )
    for run, mass in enumerate(masses):
        alone = step.rollout({"joint.angle": 0.1 * run}, np.full((10, 1), 0.2), [mass])
        np.testing.assert_array_equal(states[run], alone[0])
    assert np.ptp(states[:, -1, 1]) > 0


def test_a_dataset_names_what_it_holds() -> None:
    dae = rigid()
    runs = fb.stepper(dae, STEP).rollout(start(dae, 2), np.ones((4, 2)), dataset=True)
    assert runs["joint1.angle"].dims == ("run", "time")
    assert runs["motor2.torque"].attrs == {"units": "N m", "group": "u"}
    np.testing.assert_array_equal(runs["time"], STEP * np.arange(5))
    assert runs["complete"].all()


def test_runs_that_diverge_are_nan_from_there_on() -> None:
    dae = spring_and_damper(stiffness=4e6)  # 14 000 rad/s
    step = fb.stepper(dae, 0.01)
    with pytest.warns(FlexblocksWarning, match=r"1 of 2 runs did not reach the end, .* the first is run 1 at t = "):
        states = step.rollout([[0.0, 0.0], [1.0, 0.0]], np.zeros((100, 0)))
    assert np.all(states[0] == 0.0)
    first = int(np.argmax(np.isnan(states[1, :, 0])))
    assert 0 < first < 100
    assert np.all(np.isnan(states[1, first:]))
    with pytest.raises(ComputationError, match="not finite after a step of 1e\\+80 s"):
        fb.stepper(dae, 1e80)([1e55, 0.0])


def _end(loop: fb.DAE) -> np.ndarray:
    return fb.simulate(loop, STEP * np.arange(31), {REFERENCE: 1.0}, method="rk4", step=STEP).x[-1]


def test_runs_of_one_loop_are_independent_of_each_other() -> None:
    """What a sampler holds belongs to a run: in turns, copied, pickled and in other processes it ends the same."""
    loop = sampled_loop(delay=2.5e-3)
    step, u = fb.stepper(loop, STEP), loop.u.values({REFERENCE: 1.0})
    expected = step.rollout(U=np.tile(u, (30, 1)))[0, -1]
    one, other = loop.x.start, loop.x.start
    for k in range(30):
        one, other = step(one, u, t=STEP * k), step(other, 2 * u, t=STEP * k)
    np.testing.assert_array_equal(one, expected)
    assert np.any(other != expected)
    for same in (loop, copy.deepcopy(loop), pickle.loads(pickle.dumps(loop)), loop):
        np.testing.assert_array_equal(_end(same), expected)
    again = pickle.loads(pickle.dumps(step))
    np.testing.assert_array_equal(again.rollout(U=np.tile(u, (30, 1)))[0, -1], expected)
    with ProcessPoolExecutor(2, mp_context=get_context("forkserver")) as pool:
        for end in pool.map(_end, [loop, loop]):
            np.testing.assert_array_equal(end, expected)


def test_cases_of_a_study_in_processes_are_those_of_rollouts() -> None:
    loop, references = sampled_loop(delay=2.5e-3), [1.0, 0.2, -0.4]
    options = {"method": "rk4", "step": STEP}
    task = tasks.Simulate(loop, STEP * np.arange(31), keep=("joint1.angle",), options=options)
    cases = fb.study(task, {REFERENCE: references}, executor=2, progress=False)
    runs = fb.stepper(loop, STEP).rollout(U={REFERENCE: np.outer(references, np.ones(30))}, dataset=True)
    np.testing.assert_array_equal(cases["joint1.angle"], runs["joint1.angle"])


@needs_compiler
def test_what_is_compiled_comes_from_the_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog) -> None:
    monkeypatch.setenv("FLEXBLOCKS_CACHE", str(tmp_path))
    with caplog.at_level(logging.INFO, "flexblocks.compiler"):
        fb.stepper(sampled_loop(), STEP)
        before = len(caplog.records)
        fb.stepper(sampled_loop(), STEP)
    assert before >= 2
    assert len(caplog.records) == before


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"dt": 0.0}, r"dt = 0.0; must be a number > 0"),
        ({"dt": "1e-3"}, r"dt = '1e-3'; must be a number"),
        ({"substeps": 0}, "substeps = 0; must be a whole number >= 1"),
        ({"method": "rk45"}, r"'rk45'\. Did you mean rk4\?"),
        ({"method": "adams"}, "'adams'.*Methods that choose their steps are those of fb.simulate"),
    ],
)
def test_what_is_no_stepper_is_refused(arguments: dict, words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        fb.stepper(rigid(), **{"dt": STEP, **arguments})


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({}, r"U is missing; must be an array \(runs, samples, 2\)"),
        ({"U": np.zeros((5, 3))}, r"U is of shape \(5, 3\); must be \(samples, 2\) or \(runs, samples, 2\)"),
        ({"U": np.zeros((0, 2))}, r"U is of shape \(0, 2\)"),
        ({"U": np.full((5, 2), np.nan)}, "U has entries that are not finite"),
        ({"U": {"motor1.torque": 1.0}}, "one an array at least"),
        ({"U": {"motor1.torque": np.ones(3), "motor2.torque": np.ones(4)}}, r"motor1.torque: \(3,\), motor2"),
        ({"U": np.zeros((5, 2)), "x0": np.zeros(3)}, r"x0 is of shape \(3,\); must be \(4,\) or \(runs, 4\)"),
        ({"U": np.zeros((5, 2)), "x0": [0.0, np.inf, 0.0, 0.0]}, "x0 has entries that are not finite"),
        ({"U": np.zeros((2, 5, 2)), "x0": np.zeros((3, 4))}, r"numbers of runs differ \(x0: 3, U: 2, p: 1\)"),
        ({"U": np.zeros((5, 2)), "threads": 0}, "threads = 0; must be a whole number"),
        ({"U": np.zeros((5, 2)), "t": np.nan}, "t = nan; must be a finite number"),
    ],
)
def test_rollouts_refuse_what_does_not_fit(arguments: dict, words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        fb.stepper(rigid(), STEP).rollout(**arguments)


def test_names_and_values_of_a_step_are_checked() -> None:
    step = fb.stepper(rigid(), STEP)
    with pytest.raises(NameUnknownError, match=r"motor3\.torque"):
        step(np.zeros(4), {"motor3.torque": 1.0})
    with pytest.raises(ParameterError, match="finite"):
        step([0.0, np.nan, 0.0, 0.0])
    with pytest.raises(ParameterError, match=r"t is missing; clocks .* tick every 0\.003"):
        fb.stepper(sampled_loop(sample_time=3e-3), STEP)(sampled_loop().x.start)


def test_a_prescribed_motion_has_no_semi_implicit_steps() -> None:
    model = upright_arm(links=2, modes=0).model
    assert model is not None
    dae = fb.assemble(model, prescribed=["joint1.angle"])
    with pytest.raises(ParameterError, match=r"the motion of joint1\.angle is prescribed"):
        fb.stepper(dae, STEP, "semi-implicit")
