"""Explicit Runge-Kutta methods in chains of steps: order, stability, error control and the way out of stiffness."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import flexblocks as fb
from arms.library import subudhi_morris
from flexblocks import models
from flexblocks.dae.explicit_steps import PAIRS, error_scale
from flexblocks.simulation.integrators.buffered_call import StepCall
from flexblocks.simulation.integrators.stepper import ErrorScale, of_kinds

WALL = 1e9  # [kg m2]


def oscillator(stiffness: float = 4.0, damping: float = 0.0, symbolic=()) -> fb.DAE:
    """Return a unit inertia on a spring, with a motor."""
    model = fb.Model("oscillator")
    joint = model.add(fb.Revolute("joint", start=1.0))
    spring = model.add(fb.TorsionalSpring("spring", stiffness=stiffness, damping=damping))
    wall = model.add(fb.Rotor("wall", inertia=WALL))
    load = model.add(fb.Payload("load", mass=1.0, inertia=1.0))
    motor = model.add(fb.TorqueSource("motor"))
    model.connect(model.add(fb.Ground("ground")).frame_b, joint.frame_a)
    model.connect(joint.frame_b, load.frame_a)
    model.connect(spring.flange_a, wall.flange_b)
    model.connect(spring.flange_b, motor.flange_b, joint.axis)
    return fb.assemble(model, symbolic=symbolic)


@pytest.mark.parametrize("name", PAIRS)
def test_the_order_and_the_stability_are_those_of_the_method(name: str) -> None:
    dae, pair = oscillator(), PAIRS[name]()
    joint = dae.q_names.index("joint.angle")
    x = np.append(dae.x.start, 0.0)

    def after(h: float, count: int) -> np.ndarray:
        start = np.append(x, np.array(dae.motion(x[:-1], [], [0.0], [])[0])) if pair.reuses_last else x
        u = np.zeros((len(pair.nodes), count))
        lengths = np.tile([[h], [1e-6], [1e-6]], (1, count))  # and tolerances
        measure = np.tile(np.repeat([0.0, 1.0, 0.0], len(x))[:, None], (1, count))  # origin, size, least tolerance
        states, errors = dae.steps(name, count)(start, lengths, u, np.zeros((0, count)), measure)
        assert np.all(np.isfinite(errors.full()))
        return states.full()[joint]

    few, many = (3, 6) if pair.order == 8 else (16, 128)
    rest = 1 / (1 + WALL)  # where both would meet
    exact = rest + (1 - rest) * np.cos(2.0 * np.sqrt(1 + 1 / WALL))
    off = [abs(after(1.0 / count, count)[-1] - exact) for count in (few, many)]
    assert np.log(off[0] / off[1]) / np.log(many / few) == pytest.approx(pair.order, abs=0.5)
    # An undamped mode does not grow just inside the stability interval, and grows outside.
    inside, outside = (np.abs(after(share * pair.reach / 2.0, 512)).max() for share in (0.97, 1.03))
    assert inside <= 1.0 + 1e-9
    assert outside > 10.0


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_compiled_steps_measure_errors_as_all_others_do(seed: int) -> None:
    rng = np.random.default_rng(seed)
    kinds = np.array([0, 0, 1, 1, 2, 4, 2, 5])
    X, Y, origin = 10.0 ** rng.uniform(-9, 2, (3, len(kinds))) * rng.choice([-1, 0, 1], (3, len(kinds)))
    furthest, least = of_kinds(10.0 ** rng.uniform(-9, 2, len(kinds)), kinds), 10.0 ** rng.uniform(-18, -9, len(kinds))
    rtol, atol = 10.0 ** rng.uniform(-12, -3, 2)
    scale = ErrorScale(rtol, atol, origin, furthest, least, kinds, 1.0)
    step = error_scale(kinds.tolist(), ca.DM(X), ca.DM(Y), rtol, atol, *(map(ca.DM, (origin, furthest, least))))
    np.testing.assert_allclose(scale.of(X, Y), step.full().ravel(), rtol=1e-12)
    assert np.all(scale.of(X, Y) >= atol * scale.size)


@pytest.mark.parametrize("compiled", [False, True], ids=["interpreted", "compiled"])
def test_the_automatic_method_agrees_with_an_independent_one(compiled: bool) -> None:
    dae = fb.assemble(models.subudhi_morris_2002(), symbolic="payload.mass")
    dae = dae.compile() if compiled else dae
    drive = {"motor1.torque": lambda t: 0.2 * ca.sin(6 * t), "motor2.torque": fb.bang_bang(0.1, 0.11)}
    times = np.array([0.0, 0.03, 0.11, 0.2, 0.2005, 0.31])
    run = fb.simulate(dae, times, drive, p={"payload.mass": 0.13})
    exact = fb.simulate(dae, times, drive, p={"payload.mass": 0.13}, method="dop853", rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(run.x, exact.x, rtol=1e-7, atol=4e-8)
    rough = fb.simulate(dae, times, drive, p={"payload.mass": 0.13}, rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(rough.x[:, :4], exact.x[:, :4], atol=1e-5)
    assert np.max(np.abs(rough.x - run.x)) > 0.0


def test_the_work_of_the_motor_is_the_energy() -> None:
    dae = oscillator(stiffness=1e6)
    run = fb.simulate(
        dae, np.linspace(0, 0.2, 7), {"motor.torque": lambda t: 5.0 * np.cos(3.0 * t)}, x0={"joint.angle": 0.0}
    )
    np.testing.assert_allclose(run.energy[:, 0] + run.energy[:, 1], run.energy[:, 2], atol=1e-9)


def test_a_run_has_the_same_digits_whatever_came_before() -> None:
    dae = subudhi_morris()
    starts = {"joint1.angle": np.array([0.3, 0.1]), "der(joint2.angle)": np.array([3.0, 1.0])}
    cases = [{name: values[i] for name, values in starts.items()} for i in (0, 1)]
    one = [fb.simulate(dae, (0.0, 0.1), x0=case).x for case in cases]
    again = [fb.simulate(dae, (0.0, 0.1), x0=case).x for case in reversed(cases)][::-1]
    np.testing.assert_array_equal(one, again)
    batch = fb.simulate_batch(dae, (0.0, 0.1), x0=starts)
    values = np.stack([batch[name].values for name in dae.x.names], axis=-1)
    np.testing.assert_array_equal(values, one)


def test_what_becomes_stiff_is_left_to_bdf() -> None:
    # The damper makes one motion decay at 1e5 1/s: 1.7 million steps of an explicit method.
    dae = oscillator(stiffness=2e5, damping=1e5)
    run = fb.simulate(dae, np.linspace(0.0, 5.0, 6), method="rk8", rtol=1e-7, atol=1e-9, max_steps=20_000)
    np.testing.assert_allclose(run["joint.angle"], np.exp(-2.0 * run.t), atol=2e-4)


def test_an_arm_that_blows_up_and_a_spent_budget_say_when() -> None:
    dae = subudhi_morris()
    with pytest.raises(fb.SimulationError, match="max_steps = 300") as stopped:
        fb.simulate(dae, (0.0, 5.0), max_steps=300)
    assert 0.0 < stopped.value.time < 5.0
    with pytest.raises(fb.SimulationError, match="beyond all bounds"):
        fb.simulate(dae, (0.0, 5.0), {"motor1.torque": lambda t: ca.exp(40 * t)})


def test_an_exception_of_an_input_is_that_of_the_user() -> None:
    dae = subudhi_morris()

    def failing(t: float) -> float:
        if float(t) > 0.03:
            raise ValueError("no torque any more")
        return 0.1

    with pytest.raises(ValueError, match="no torque any more"):
        fb.simulate(dae, (0.0, 0.1), {"motor1.torque": fb.Signal(failing, breakpoints=())})


@pytest.mark.parametrize(
    "compiled", [False, pytest.param(True, marks=pytest.mark.slow)], ids=["interpreted", "compiled"]
)
def test_hardly_a_step_is_evaluated_in_vain(compiled: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Calls are hardly filled with empty steps, and end where one is refused: 129 steps are not worth a call of 512."""
    evaluated, taken = [], []

    def take(self: StepCall, start: np.ndarray, lengths: np.ndarray, *others: np.ndarray) -> int:
        size, count = len(self.arguments[1]), original(self, start, lengths, *others)
        evaluated.append(-(-count // size) * size)
        taken.append(count)
        return count

    original = StepCall.take
    monkeypatch.setattr(StepCall, "take", take)
    dae = oscillator(stiffness=4e4)
    dae = dae.compile(strict=True) if compiled else dae
    fb.simulate(dae, (0.0, 3.9), u={"motor.torque": lambda t: 100.0 * ca.sin(20 * t)}, method="rk8")
    assert sum(taken) > 129
    assert sum(evaluated) <= (1.5 if compiled else 1.0) * sum(taken)
