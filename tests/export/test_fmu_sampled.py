"""Sampled controllers in FMUs: discrete states, time events, ticks inside and at the ends of communication steps."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import fmpy
import numpy as np
import pytest
from fmpy.validation import validate_fmu

import flexblocks as fb
from arms.driven import rotor, upright_arm
from arms.fmu_arms import KINDS, VERSIONS
from arms.fmu_instance import Fmu
from flexblocks import control, export
from flexblocks.dae import compiler
from flexblocks.export.fmu.states import states

pytestmark = pytest.mark.skipif(compiler.find_compiler() is None, reason="there is no C compiler")

LOOPS = {"joint1.angle": "motor1.torque", "joint2.angle": "motor2.torque"}
STEP = "reference.joint1.angle"
END = 0.299  # no tick is there: `simulate` takes its last sample before one, FMPy after it
MOTOR = ["motor1.torque", "motor2.torque"]


def pid() -> fb.DAE:
    """Integrals and commands that are held, released a part of a sample later, against limits."""
    law = control.PID(LOOPS, kp=[10.0, 3.0], ki=[5.0, 1.0], kd=[0.5, 0.1])
    return control.close_loop(
        upright_arm(damping=0.01, limit=1.5), control.Sampled(law, sample_time=0.002, delay=0.0008)
    )


def lqg() -> fb.DAE:
    """A Kalman filter in the controller, and a delay of more than a sample."""
    arm = upright_arm(damping=0.01)
    weights = dict.fromkeys(LOOPS, 10.0) | {"elastic_energy": 1.0}
    lqr = control.LQR(weights, references=("joint1.angle",))
    kalman = control.Kalman(list(LOOPS), process=dict.fromkeys(MOTOR, 1e-2), noise=1e-6)
    return control.close_loop(arm, control.Sampled(control.LQG(lqr, kalman), sample_time=0.004, delay=0.005))


def cascade() -> fb.DAE:
    """A sampled loop around a sampled loop of another rate, with a continuous one between: states lie mixed."""
    arm = upright_arm(damping=0.01)
    inner = control.Sampled(control.PD({"joint1.angle": "motor1.torque"}, 20.0, 0.5), 0.003, name="inner")
    between = control.PID({"joint2.angle": "motor2.torque"}, 5.0, 5.0, 0.1)
    first = control.close_loop(control.close_loop(arm, inner), between)
    outer = control.PD({"payload.y": STEP}, 0.4)
    return control.close_loop(first, control.Sampled(outer, 0.02, delay=0.02, name="outer"))


def shaped() -> fb.DAE:
    """A shaper in the controller: a delay line of references."""
    law = control.Shaped(control.PD(LOOPS, kp=[5.0, 1.5], kd=[0.1, 0.02]), control.ZV(25.0, 0.1))
    return control.close_loop(upright_arm(damping=0.01), control.Sampled(law, sample_time=0.005))


def sensors() -> fb.DAE:
    """Encoders in the loop, one of them late and one with samples of its own; their noise is an input."""
    law = control.PD(LOOPS, kp=[5.0, 1.5], kd=[0.1, 0.02])
    encoders = [
        control.Sensor("joint1.angle", resolution=1e-4, delay=0.0015, noise=1e-3),
        control.Sensor("joint2.angle", sample_time=0.007, delay=0.003, dropouts=0.1),
        control.Sensor("der(joint1.angle)", noise=1e-2, delay=0.01),
    ]
    return control.close_loop(upright_arm(damping=0.01), control.Sampled(law, sample_time=0.005), sensors=encoders)


ARMS = {"pid": pid, "lqg": lqg, "cascade": cascade, "shaped": shaped, "sensors": sensors}
INPUT = {"pid": STEP, "lqg": STEP, "cascade": "reference.payload.y", "shaped": STEP, "sensors": STEP}


@cache
def dae(name: str) -> fb.DAE:
    return ARMS[name]()


@pytest.mark.parametrize(
    ("name", "version"),
    [
        pytest.param(name, version, marks=[pytest.mark.slow] * (version != VERSIONS[i % 2] or i > 1))
        for i, name in enumerate(ARMS)
        for version in VERSIONS
    ],
)
def test_a_sampled_loop_runs_in_fmpy_as_in_simulate(name: str, version: str, tmp_path: Path) -> None:
    closed = dae(name)
    path = str(export.fmu(closed, tmp_path / f"{name}.fmu", version))
    assert validate_fmu(path) == []
    jump = 0.101  # of the reference, between two samples
    corners = [(0.0, 0.1), (jump, 0.1), (jump, 0.4), (END, 0.4)]
    given = np.array(corners, dtype=[("time", float), (INPUT[name], float)])
    step = fb.piecewise_constant([0.0, jump], [0.1, 0.4])
    expected = fb.simulate(closed, np.linspace(0, END, 300), u={INPUT[name]: step}, rtol=1e-11, atol=1e-13, seed=None)
    arranged = states(closed)
    lasting = [closed.x.names[i] for i in arranged.continuous]
    held = [closed.x.names[i] for i in arranged.discrete]
    assert held
    assert np.ptp(expected["joint1.angle"]) > 1e-2
    assert max(np.ptp(expected[name]) for name in held) > 1e-2
    ticking = np.zeros(len(expected.t), dtype=bool)
    for clock in closed.clocks:
        ticking |= [clock.ticks_at(time) for time in expected.t]
    names = [*lasting, *held, *closed.y.names]
    for kind in KINDS:
        found = fmpy.simulate_fmu(
            path, fmi_type=kind, stop_time=END, output_interval=0.001, input=given, output=names,
            record_events=False, relative_tolerance=1e-11,
        )  # fmt: skip
        at_jump = np.abs(expected.t - jump) < 1e-9
        # In co-simulation a tick at the end of a step comes with the next step.
        other = at_jump | (ticking if kind == "CoSimulation" else False)
        for variable in names:
            kept = np.ones(len(expected.t), dtype=bool) if variable in lasting else ~other
            assert np.max(np.abs(found[variable] - expected[variable])[kept]) < 1e-6, (kind, variable)


def test_states_that_lie_mixed_are_told_apart() -> None:
    closed = dae("cascade")
    arranged = states(closed)
    discrete = [closed.x.names[i] for i in arranged.discrete]
    assert discrete == ["inner.motor1.torque", f"outer.{STEP}", f"outer.pending[1].{STEP}"]
    assert "pid.integral[1]" in [closed.x.names[i] for i in arranged.continuous]
    assert sorted(arranged.order) == list(range(len(closed.x)))
    assert arranged.order != tuple(range(len(closed.x)))


@pytest.fixture(scope="module", params=VERSIONS)
def wheel(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A double integrator under a sampled proportional law: u = 2 (r - angle), held for 0.1 s, inertia 0.1 kg m2."""
    law = control.Sampled(control.PD({"wheel.angle": "motor.torque"}, kp=2.0), sample_time=0.1)
    return str(
        export.fmu(control.close_loop(rotor(), law), tmp_path_factory.mktemp("fmu") / "wheel.fmu", request.param)
    )


def closed_form(samples: int, slope: float | None = None) -> np.ndarray:
    """Angle, rate and torque after each sample, of a reference that is 1 or rises."""
    angle, rate, h, found = 0.0, 0.0, 0.1, []
    for k in range(samples):
        torque = 2.0 * ((1.0 if slope is None else slope * k * h) - angle)
        a = torque / 0.1
        angle, rate = angle + h * rate + h * h * a / 2, rate + h * a
        found.append((angle, rate, torque))
    return np.array(found)


@pytest.mark.parametrize("length", [0.1, 0.25, 0.02])
def test_communication_steps_of_any_length_see_every_tick(wheel: str, length: float) -> None:
    expected = closed_form(10)
    with Fmu(wheel, "CoSimulation") as fmu:
        fmu.set({"reference.wheel.angle": 1.0})
        fmu.initialize()
        for k in range(round(1.0 / length)):
            fmu.step(k * length, length)
        found = [fmu.get(name) for name in ("wheel.angle", "der(wheel.angle)", "motor.torque")]
    assert found == pytest.approx(expected[-1], rel=1e-9)


@pytest.mark.parametrize("wheel", ["2.0"], indirect=True)  # FMI 3.0 takes no derivatives of inputs
def test_ticks_within_a_step_see_inputs_that_change_linearly(wheel: str) -> None:
    with Fmu(wheel, "CoSimulation") as fmu:
        fmu.initialize()
        for k in range(4):
            fmu.set({"reference.wheel.angle": 3.0 * 0.25 * k})
            fmu.set_slope("reference.wheel.angle", 3.0)
            fmu.step(0.25 * k, 0.25)
        found = [fmu.get(name) for name in ("wheel.angle", "der(wheel.angle)", "motor.torque")]
    assert found == pytest.approx(closed_form(10, slope=3.0)[-1], rel=1e-9)


def test_a_saved_state_holds_the_clocks(wheel: str) -> None:
    with Fmu(wheel, "CoSimulation") as fmu:
        fmu.set({"reference.wheel.angle": 1.0})
        fmu.initialize()
        fmu.step(0.0, 0.25)
        saved = fmu.serialize(fmu.save())
        ends = []
        for _ in range(2):
            fmu.restore(fmu.deserialize(saved))
            fmu.step(0.25, 0.25)
            ends.append(fmu.get("wheel.angle"))
    assert ends[0] == ends[1] == pytest.approx(closed_form(5)[-1, 0], rel=1e-9)


def test_model_exchange_tells_when_the_next_tick_is(wheel: str) -> None:
    with Fmu(wheel, "ModelExchange") as fmu:
        fmu.set({"reference.wheel.angle": 1.0})
        fmu.initialize()

        def update() -> tuple[bool, bool, float]:
            new = fmu.fmu.newDiscreteStates() if fmu.version == "2.0" else fmu.fmu.updateDiscreteStates()
            return bool(new[3]), bool(new[4]), new[5]

        assert update() == (False, True, pytest.approx(0.1))
        assert fmu.get("motor.torque") == 2.0
        assert update() == (False, True, pytest.approx(0.1))  # nothing more at this time
        fmu.fmu.enterContinuousTimeMode()
        assert fmu.rates() == pytest.approx([0.0, 20.0])
        fmu.set_states(np.array([0.25, 0.0]))
        assert fmu.get("motor.torque") == 2.0  # held
        fmu.fmu.setTime(0.1)
        fmu.fmu.enterEventMode()
        assert update() == (False, True, pytest.approx(0.2))
        assert fmu.get("motor.torque") == 1.5
        assert fmu.description.numberOfContinuousStates == 2
        assert fmu.variables["held.motor.torque"].variability == "discrete"
