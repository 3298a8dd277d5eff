"""Runs that fail or are interrupted: what was computed is kept, and said why there is no more."""

import contextlib
import math
import re
import signal
import sys
import threading
from dataclasses import dataclass
from typing import ClassVar

import casadi as ca
import numpy as np
import pytest

import flexblocks as fb
from arms.closed_forms import (
    Machine,
    Motor,
    QuasiStaticMotor,
    driven,
    pendulum,
)
from arms.driven import rotor
from arms.library import subudhi_morris
from flexblocks import control
from flexblocks.errors import ComputationError, FlexblocksError, FlexblocksWarning, ParameterError
from flexblocks.interfaces.block import Block
from flexblocks.interfaces.physics import Load, Physics
from flexblocks.interfaces.ports import flange
from flexblocks.simulation.chunks import LEAST_STEPS, MOST_STEPS, Pace
from flexblocks.simulation.integrators.casadi_integrators.sundials_messages import without_messages_of_failures
from terminal import ImpatientTerminal


@dataclass(frozen=True)
class Runaway(Block):
    """A torque angle^3, which sends a rotor to infinity in finite time."""

    ports: ClassVar = (flange("flange_b"),)
    coordinates = Machine.coordinates
    flanges = Machine.flanges

    def physics(self, frame, local):
        return Physics(loads=(Load(local["angle"] ** 3, local["angle"]),))


@pytest.mark.parametrize("method", ["auto", "bdf", "dop853"])
def test_a_failure_says_when_and_keeps_what_was_computed(method):
    """From angle 1 at rate 1/sqrt 2 with J = 1, angle = 1 / (1 - t / sqrt 2), which is infinite at t = sqrt 2.

    Before that its rate, angle^2 / sqrt 2, is 1e5 rad/s, which nothing real reaches.
    """
    dae = driven(Runaway("runaway"), inertia=1.0)
    x0 = {"rotor.angle": 1.0, "der(rotor.angle)": math.sqrt(0.5)}
    with pytest.raises(
        fb.SimulationError, match=r"t = 1.41\d+ s of 2 s: .* der\(rotor\.angle\) beyond 100000.*\.trajectory holds"
    ) as caught:
        fb.simulate(dae, np.linspace(0.0, 2.0, 201), x0=x0, method=method)
    assert caught.value.time == pytest.approx(math.sqrt(2) * (1 - (math.sqrt(2) * 1e5) ** -0.5), abs=1e-5)
    kept = caught.value.trajectory
    assert not kept.complete
    assert kept.t[-1] == pytest.approx(1.41)
    np.testing.assert_allclose(1 / kept["rotor.angle"], 1 - kept.t / math.sqrt(2), rtol=0, atol=1e-6)
    assert isinstance(caught.value, ComputationError)


def test_an_unstable_closed_loop_ends_soon_and_keeps_what_it_has():
    """A rotor that is pushed the way it turns: its rate is exp(5 t), and reaches the bound at a known time."""

    class Pushed(control.Law):
        def bind(self, dae, actuators):
            return control.Bound({"motor.torque": 0.5 * dae.x.symbol[dae.x.index("der(wheel.angle)")]})

    dae = control.close_loop(rotor(), Pushed())  # of 0.1 kg m2
    with pytest.raises(fb.SimulationError, match=r"der\(wheel\.angle\) beyond 100000") as caught:
        fb.simulate(dae, np.linspace(0, 10.0, 2001), x0={"der(wheel.angle)": 1.0})
    end = math.log(1e5) / 5
    assert caught.value.time == pytest.approx(end, abs=2e-5)
    kept = caught.value.trajectory
    assert kept.t[-1] == pytest.approx(math.floor(end / 5e-3) * 5e-3)
    np.testing.assert_allclose(kept["der(wheel.angle)"], np.exp(5 * kept.t), rtol=1e-6)


def test_an_unstable_step_is_named():
    """RK4 is unstable where step * frequency > 2.83; here it is 10."""
    model = fb.Model("spring")
    ground = model.add(fb.Ground("ground"))
    joint = model.add(fb.Revolute("joint"))
    spring = model.add(fb.TorsionalSpring("spring", stiffness=1e6))
    rotor = model.add(fb.Rotor("rotor", inertia=1.0))
    load = model.add(fb.Payload("load", mass=1.0, inertia=1.0))
    model.connect(ground.frame_b, joint.frame_a)
    model.connect(joint.frame_b, load.frame_a)
    model.connect(rotor.flange_b, spring.flange_a)
    model.connect(spring.flange_b, joint.axis)
    dae = fb.assemble(model)
    with pytest.raises(fb.SimulationError, match=r"beyond all bounds.*\. Take a smaller step") as caught:
        fb.simulate(dae, (0.0, 5.0), x0={"rotor.angle": 0.1}, method="rk4", step=1e-2)
    assert 0 < caught.value.time < 5
    assert np.all(np.isfinite(caught.value.trajectory.x))


@pytest.mark.parametrize("method", ["auto", "dop853"])
def test_a_run_that_grows_stiff_ends_by_its_time_limit(method):
    """A spring of 1e9 N m/rad swings with 1e5 rad/s: the run would take minutes."""
    spring = control.StateFeedback({"motor.torque": {"wheel.angle": 1e9}})
    dae = control.close_loop(rotor(), spring)
    with pytest.raises(fb.SimulationError, match=r"its budget is spent, .* \(time_limit = 1 s\)\. If the") as caught:
        fb.simulate(dae, np.linspace(0.0, 100.0, 10**6), x0={"wheel.angle": 1e-3}, method=method, time_limit=1.0)
    kept = caught.value.trajectory
    assert len(kept.t) >= 1  # how far it gets is up to the machine
    assert kept.t[-1] <= caught.value.time < 100
    np.testing.assert_allclose(kept["wheel.angle"], 1e-3 * np.cos(1e5 * kept.t), atol=1e-5)


def test_a_run_ends_by_its_steps():
    dae = control.close_loop(rotor(), control.StateFeedback({"motor.torque": {"wheel.angle": 1e5}}))
    run = {"t": np.linspace(0.0, 10.0, 1001), "x0": {"wheel.angle": 1e-3}}
    with pytest.raises(fb.SimulationError, match=r"\(max_steps = 2000\).*raise max_steps= or") as caught:
        fb.simulate(dae, **run, max_steps=2000)
    kept = caught.value.trajectory
    assert 1 < len(kept.t) < 1001
    again = fb.simulate(dae, kept.t, x0=run["x0"], max_steps=math.inf)
    np.testing.assert_allclose(kept["wheel.angle"], again["wheel.angle"], atol=1e-8)
    with pytest.warns(FlexblocksWarning, match=r"2 of 2 runs stopped .* \(max_steps = 2000\)"):
        runs = fb.simulate_batch(dae, run["t"], x0={"wheel.angle": [1e-3, 2e-3]}, max_steps=2000)
    assert not runs["complete"].any()


def test_a_relay_that_chatters_keeps_what_was_before():
    """A torque of 1 N m against angle + rate: from 0.5 rad it first switches where 0.5 - 5 t^2 = 10 t."""

    class Relay:
        def bind(self, dae, actuators):
            x = dae.x.symbol
            return control.Bound({"motor.torque": -ca.sign(x[0] + x[1])})

    dae = control.close_loop(rotor(), Relay())
    with pytest.raises(fb.SimulationError, match=r"s of 20 s.*smooth a switching law") as caught:
        fb.simulate(dae, np.linspace(0.0, 20.0, 20001), x0={"wheel.angle": 0.5}, max_steps=50_000)
    switch = math.sqrt(1.1) - 1
    assert caught.value.time == pytest.approx(switch, abs=5e-3)
    kept = caught.value.trajectory
    assert kept.t[-1] == pytest.approx(switch, abs=5e-3)
    np.testing.assert_allclose(kept["wheel.angle"], 0.5 - 5 * kept.t**2, atol=1e-9)


@pytest.mark.parametrize(
    ("budget", "message"),
    [
        ({"max_steps": 0}, "max_steps = 0; must be a whole number > 0"),
        ({"max_steps": "many"}, "max_steps = 'many'; must be"),
        ({"max_steps": 1.5}, "max_steps = 1.5; must be"),
        ({"time_limit": 0}, "time_limit = 0; must be a number > 0"),
        ({"time_limit": "1 min"}, "time_limit = '1 min'; must be"),
    ],
)
def test_a_budget_that_is_none_is_refused(budget, message):
    with pytest.raises(FlexblocksError, match=message):
        fb.simulate(rotor(), (0.0, 1.0), **budget)


def test_a_beam_that_slides_out_of_its_hub_ends_the_run():
    model = fb.Model("slide")
    beam = model.add(fb.SlidingBeam("beam", 1.3, 0.3, 5.0, fb.Rigid(), start=0.5, bending="y"))
    model.connect(model.add(fb.Ground("ground")).frame_b, beam.frame_a)
    with pytest.raises(fb.SimulationError, match=r"beam\.displacement leaves its range, 0 to 1\.3 m") as caught:
        fb.simulate(fb.assemble(model), (0.0, 2.0), x0={"der(beam.displacement)": 1.0})
    assert caught.value.time == pytest.approx(0.8, abs=1e-5)
    assert caught.value.trajectory["beam.displacement"][-1] == pytest.approx(1.3, abs=0.01)


def test_algebraic_equations_without_solution():
    class Impossible(QuasiStaticMotor):
        def physics(self, frame, local):
            return Physics(residuals=(local["current"] ** 2 + 1,))

    with pytest.raises(FlexblocksError, match=r"algebraic equations of motor.current could not be solved at t = 0 s"):
        fb.simulate(driven(Impossible("motor")), (0.0, 1.0))


@pytest.mark.parametrize("method", ["auto", "dop853"])
def test_an_interrupt_in_the_users_function_keeps_the_past(method):
    sampled = []  # to the end of the run, before it is integrated

    def torque(t):
        if 0.6 < t <= 1.0 and sampled:
            raise KeyboardInterrupt
        if 1.0 - 1e-9 < t <= 1.0:
            sampled.append(t)
        return 0.1 * math.cos(t)

    dae = driven(Motor("motor"))
    voltage = fb.Signal(torque, breakpoints=())
    with pytest.warns(FlexblocksWarning, match=r"was interrupted at t = 0\.\d+ s of 1 s"):
        got = fb.simulate(dae, (0.0, 1.0), u={"motor.voltage": voltage}, method=method)
    assert not got.complete
    assert 0 < got.t[-1] <= 0.6
    whole = fb.simulate(dae, (0.0, 1.0), u={"motor.voltage": lambda t: 0.1 * np.cos(t)})
    np.testing.assert_allclose(got.x, whole.x[: len(got.t)], atol=1e-8)


def test_control_c_keeps_the_past(monkeypatch):
    """A run of half a year, interrupted once the progress bar shows that it has gone some way."""
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "200")
    before, t = signal.getsignal(signal.SIGINT), np.linspace(0.0, 1.5e7, 10**6)
    terminal = ImpatientTerminal(r"t = (\d\S*) s")
    with contextlib.redirect_stderr(terminal), pytest.warns(FlexblocksWarning, match="was interrupted"):
        got = fb.simulate(pendulum(), t, x0={"joint.angle": 0.0}, progress=True)
    assert not got.complete
    np.testing.assert_array_equal(got.t, t[: len(got.t)])
    # Nothing shown is lost, but for what lies after the last sample; the rest of the half year is not waited for.
    assert float(terminal.seen[1]) - 15 < got.t[-1] < 1e5
    assert np.isfinite(got.x).all()
    assert signal.getsignal(signal.SIGINT) is before


def test_idas_that_gives_up_says_so_once(capfd: pytest.CaptureFixture[str]) -> None:
    """SUNDIALS wrote "mxstep steps taken" to the standard error beside the error that says where and why."""
    dae = subudhi_morris()
    with pytest.raises(FlexblocksError, match="max_steps"):
        fb.simulate(
            dae, (0.0, 5.0), u={"motor1.torque": lambda t: 0.2 * np.sin(1e7 * t)}, method="idas", max_steps=3000
        )
    assert not "".join(capfd.readouterr())


def test_what_is_no_message_of_a_failure_is_passed_on(capfd: pytest.CaptureFixture[str]) -> None:
    failure = "At t = 0.4, mxstep steps taken before reaching tout.\n"
    before = sys.stderr
    with without_messages_of_failures():
        sys.stderr.write(f"{failure}mine\n")
    with contextlib.suppress(RuntimeError), without_messages_of_failures():
        thread = threading.Thread(target=lambda: sys.stderr.write("of another thread\n"))
        thread.start()
        thread.join()
        sys.stderr.write(f"mine{failure}{failure}")
        raise RuntimeError
    assert sys.stderr is before
    assert capfd.readouterr().err == f"{failure}mine\nof another thread\nmine{failure}"


@pytest.mark.parametrize(("aside", "method"), [(0.5, "auto"), (0.0, "rk8"), (0.0, "radau")])
def test_a_winch_that_winds_on_stops_where_no_rope_is_left(aside, method):
    """1 m/s of a rope of `length` m: nothing is left after as many seconds, and beyond it would push."""
    model = fb.Model("hoist", gravity=(0.0, 0.0, -9.81))
    ground, pulley = model.add(fb.Ground("ground")), model.add(fb.FixedTransform("pulley", (aside, 0.0, 0.0)))
    slide, load = model.add(fb.Prismatic("slide", axis=(0, 0, 1), start=-2.0)), model.add(fb.Payload("load", 10.0))
    length = math.hypot(2.0, aside)
    rope = model.add(fb.Cable("rope", length, 1e5, winch=True, damping_time=0.01))
    model.connect(ground.frame_b, pulley.frame_a)
    model.connect(pulley.frame_b, slide.frame_a)
    model.connect(slide.frame_b, load.frame_a)
    model.connect(ground.frame_b, rope.frame_a)
    model.connect(slide.frame_b, rope.frame_b)
    dae = fb.assemble(model)
    with pytest.raises(fb.SimulationError, match=r"rope\.length (gets to 0|= .*, which must be positive)") as stopped:
        fb.simulate(dae, (0.0, 5.0), u={"rope.speed": -1.0}, method=method)
    reached = stopped.value.trajectory
    assert 0.9 * length < reached.t[-1] <= length
    assert reached["rope.length"].min() > 0
    with pytest.raises(ParameterError, match=r"rope\.length = 0 m; must be more than 0"):
        fb.simulate(dae, (0.0, 1.0), x0={"rope.length": 0.0})


@pytest.mark.parametrize(("length", "bound"), [(2e-4, None), (2e-4, 5e8), (1.0, 1e5), (50.0, 1e5)])
def test_what_is_small_may_turn_fast(length: float, bound: float | None) -> None:
    """A link that spins beside a motor that blows up: its tip may move as fast as that of a metre."""
    model = fb.Model("spinning link")
    ground, joint = model.add(fb.Ground("ground")), model.add(fb.Revolute("joint"))
    link = model.add(fb.RigidLink("link", length=length, mass=length**3))
    motor = model.add(fb.TorqueSource("motor"))
    model.connect(ground.frame_b, joint.frame_a)
    model.connect(joint.frame_b, link.frame_a)
    model.connect(motor.flange_b, joint.axis)
    dae = fb.assemble(model)
    if bound is None:
        run = fb.simulate(dae, (0.0, 1e-6), x0={"der(joint.angle)": 1e7})
        assert run["joint.angle"][-1] == pytest.approx(10.0)
        return
    inertia = float(dae.mass_matrix(np.zeros(1), np.zeros(0)))
    words = re.escape(f"der(joint.angle) beyond {bound:.6g} rad/s")
    with pytest.raises(fb.SimulationError, match=words):
        fb.simulate(
            dae,
            (0.0, 1.0),
            {"motor.torque": 1e10 * inertia},
            x0={"der(joint.angle)": 0.9 * bound},
            step=1e-3,
            method="rk4",
        )


def test_a_part_of_a_run_gives_up_sooner_the_larger_the_equations() -> None:
    """So that budgets, which are looked at between parts, hold where a step takes a tenth of a second."""
    assert Pace(0.0, 1.0, 100, 1e-5).most_steps == 2 * MOST_STEPS
    assert Pace(0.0, 1.0, 5_000_000, 1e-5).most_steps == LEAST_STEPS


def test_fixed_steps_keep_their_budget_to_the_step() -> None:
    with pytest.raises(fb.SimulationError, match="its budget is spent, 500 steps") as caught:
        fb.simulate(rotor(), np.linspace(0.0, 1.0, 11), method="rk4", step=1e-3, max_steps=500)
    assert caught.value.time == pytest.approx(0.5)
    assert len(caught.value.trajectory) == 5  # the sample at 0.5 s would be that after what begins there
