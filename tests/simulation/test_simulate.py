"""Simulation against closed forms, against itself with independent methods, and against published numbers."""

import contextlib
import math
import signal
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import ClassVar

import numpy as np
import pytest
from scipy.interpolate import CubicSpline
from scipy.linalg import expm
from scipy.special import ellipj, ellipk

import flexblocks as fb
from arms.driven import rotor
from flexblocks import control, models
from flexblocks.errors import ComputationError, FlexblocksError, FlexblocksWarning, NameUnknownError, ParameterError
from flexblocks.interfaces.block import Block
from flexblocks.interfaces.parameters import POSITIVE, parameter
from flexblocks.interfaces.physics import GUEST, Coordinate, Load, Physics, Variable
from flexblocks.interfaces.ports import flange
from oracles.published import reference
from terminal import ImpatientTerminal

REFERENCE = reference("subudhi_morris_2002")
G, LENGTH, MASS = 9.81, 0.5, 1.3


def pendulum(damping=0.0, symbolic=()):
    """A point mass on a massless rod; angle 0 is horizontal, -pi/2 hanging."""
    model = fb.Model("pendulum", gravity=(0.0, -G, 0.0))
    ground = model.add(fb.Ground("ground"))
    joint = model.add(fb.Revolute("joint", damping=damping, start=-math.pi / 2))
    bob = model.add(fb.Payload("bob", mass=MASS, center=(LENGTH, 0.0, 0.0)))
    model.connect(ground.frame_b, joint.frame_a)
    model.connect(joint.frame_b, bob.frame_a)
    return fb.assemble(model, symbolic)


def pendulum_angle(t, amplitude):
    """Angle from the vertical of a pendulum let go at `amplitude`, by Jacobi's elliptic functions."""
    k = math.sin(amplitude / 2)
    sn, _, _, _ = ellipj(ellipk(k**2) - math.sqrt(G / LENGTH) * t, k**2)
    return 2 * np.arcsin(k * sn)


@dataclass(frozen=True)
class _Machine(Block):
    """A direct-current machine: torque = constant * current."""

    constant: float = parameter("N m/A", POSITIVE, default=0.3)
    resistance: float = parameter("Ohm", POSITIVE, default=1.5)
    inductance: float = parameter("H", POSITIVE, default=0.02)
    ports: ClassVar = (flange("flange_b"),)

    def coordinates(self):
        return (Coordinate("angle", "rad", rank=GUEST),)

    def flanges(self):
        return {"flange_b": ("angle", 1.0)}

    def inputs(self):
        return (Variable("voltage", "V"),)

    def drop(self, local):
        """Voltage left for the inductance [V]."""
        back = self.constant * local.rate(local["angle"])
        return local["voltage"] - self.resistance * local["current"] - back

    def load(self, local):
        return (Load(self.constant * local["current"], local["angle"]),)


class Motor(_Machine):
    def states(self):
        return (Variable("current", "A"),)

    def physics(self, frame, local):
        return Physics(loads=self.load(local), derivatives={"current": self.drop(local) / self.inductance})


class QuasiStaticMotor(_Machine):
    def algebraics(self):
        return (Variable("current", "A"),)

    def physics(self, frame, local):
        return Physics(loads=self.load(local), residuals=(self.drop(local),))


INERTIA = 0.04


def driven(motor, inertia=INERTIA, **start):
    model = fb.Model("drive")
    model.add(fb.Ground("ground"))
    rotor = model.add(fb.Rotor("rotor", inertia=inertia, **start))
    model.add(motor)
    model.connect(motor.flange_b, rotor.flange_a)
    return fb.assemble(model)


@dataclass(frozen=True)
class Runaway(Block):
    """A torque angle^3, which sends a rotor to infinity in finite time."""

    ports: ClassVar = (flange("flange_b"),)
    coordinates = _Machine.coordinates
    flanges = _Machine.flanges

    def physics(self, frame, local):
        return Physics(loads=(Load(local["angle"] ** 3, local["angle"]),))


@pytest.mark.parametrize("amplitude", [1e-3, 1.0, 2.5])
@pytest.mark.parametrize("method", ["auto", "bdf", "dop853"])
def test_pendulum_against_elliptic_functions(amplitude, method):
    t = np.linspace(0.0, 10.0, 101)
    x0 = {"joint.angle": amplitude - math.pi / 2}
    got = fb.simulate(pendulum(), t, x0=x0, method=method, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(got["joint.angle"] + math.pi / 2, pendulum_angle(t, amplitude), rtol=0, atol=1e-7)


def test_default_tolerances_on_a_pendulum():
    t = np.linspace(0.0, 10.0, 101)
    got = fb.simulate(pendulum(), t, x0={"joint.angle": 1.0 - math.pi / 2})
    np.testing.assert_allclose(got["joint.angle"] + math.pi / 2, pendulum_angle(t, 1.0), rtol=0, atol=1e-6)


def test_rk4_is_of_order_four():
    t = np.array([0.0, 1.0, 2.0])
    x0 = {"joint.angle": 1.0 - math.pi / 2}
    steps = [0.02, 0.01, 0.005]
    runs = [fb.simulate(pendulum(), t, x0=x0, method="rk4", step=step)["joint.angle"][-1] for step in steps]
    errors = np.abs(np.array(runs) + math.pi / 2 - pendulum_angle(2.0, 1.0))
    np.testing.assert_allclose(np.log2(errors[:-1] / errors[1:]), 4.0, atol=0.15)


def test_rk4_is_the_classical_method():
    """One step for z' = w, w' = -c sin z, by hand."""
    step, x = 0.1, np.array([1.0 - math.pi / 2, 0.3])

    def f(x):
        return np.array([x[1], -G / LENGTH * math.cos(x[0])])

    k1 = f(x)
    k2 = f(x + step / 2 * k1)
    k3 = f(x + step / 2 * k2)
    k4 = f(x + step * k3)
    got = fb.simulate(pendulum(), np.array([0.0, step]), x0=x, method="rk4", step=step)
    np.testing.assert_allclose(got.x[-1], x + step / 6 * (k1 + 2 * k2 + 2 * k3 + k4), rtol=0, atol=1e-14)


def test_a_damped_pendulum_loses_what_the_work_does_not_make_up():
    """The energy falls by the integral of damping * rate^2; the input's work is kept apart."""
    dae = pendulum(damping=0.2)
    t = np.linspace(0.0, 3.0, 3001)
    got = fb.simulate(dae, t, x0={"joint.angle": 0.5})
    lost = CubicSpline(t, 0.2 * got["der(joint.angle)"] ** 2).antiderivative()(t)
    energy = got["kinetic_energy"] + got["potential_energy"]
    np.testing.assert_allclose(energy[0] - energy, lost, rtol=0, atol=1e-6)
    assert not got["work"].any()


def test_parameters_may_change_from_run_to_run():
    dae = pendulum(symbolic=("bob.mass", "joint.damping"))
    x0 = {"joint.angle": 0.5}
    free = fb.simulate(dae, (0.0, 2.0), x0=x0)
    damped = fb.simulate(dae, (0.0, 2.0), x0=x0, p={"joint.damping": 0.2})
    expected = fb.simulate(pendulum(damping=0.2), (0.0, 2.0), x0=x0)
    np.testing.assert_allclose(damped["joint.angle"], expected["joint.angle"], atol=1e-7)
    assert abs(damped["joint.angle"] - free["joint.angle"]).max() > 0.1
    assert damped.p == {"bob.mass": MASS, "joint.damping": 0.2}


def test_output_times_and_their_spacing_do_not_change_the_motion():
    dae = pendulum()
    x0 = {"joint.angle": 0.0}
    t = np.sort(np.random.default_rng(1).uniform(0, 5, 40))
    t = np.concatenate([[0.0], t, [5.0]])
    irregular = fb.simulate(dae, t, x0=x0)
    ends = fb.simulate(dae, np.array([0.0, 5.0]), x0=x0)
    np.testing.assert_allclose(irregular["joint.angle"] + math.pi / 2, pendulum_angle(t, math.pi / 2), atol=1e-6)
    np.testing.assert_allclose(ends.x[-1], irregular.x[-1], atol=1e-6)
    assert len(fb.simulate(dae, (0.0, 5.0)).t) == len(fb.simulate(dae, [0.0, 5.0]).t) == 1001
    assert fb.simulate(dae, [0.0, 1.0, 5.0]).t.tolist() == [0.0, 1.0, 5.0]


def test_a_run_may_start_at_any_time():
    """The motion of an arm that no input drives does not depend on the clock; an input does."""
    dae = pendulum()
    late = fb.simulate(dae, (-3.0, 2.0), x0={"joint.angle": 0.0})
    np.testing.assert_allclose(late["joint.angle"] + math.pi / 2, pendulum_angle(late.t + 3.0, math.pi / 2), atol=1e-6)


@pytest.mark.parametrize("samples", [2, 4001], ids=["ends only", "many samples"])
def test_a_long_run_keeps_its_motion(samples):
    """It takes 46000 steps, nine times as many as are integrated in one go."""
    t = np.linspace(0.0, 400.0, samples)
    got = fb.simulate(pendulum(), t, x0={"joint.angle": 1.0 - math.pi / 2}, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(got["joint.angle"] + math.pi / 2, pendulum_angle(t, 1.0), rtol=0, atol=1e-7)


def test_a_motor_with_current_dynamics():
    """Linear: d/dt (angle, rate, current) by the matrix exponential."""
    motor = Motor("motor")
    got = fb.simulate(driven(motor), (0.0, 0.5), u={"motor.voltage": 12.0})
    k, R, L = motor.constant, motor.resistance, motor.inductance
    A = np.array([[0, 1, 0, 0], [0, 0, k / INERTIA, 0], [0, -k / L, -R / L, 1 / L], [0, 0, 0, 0]])
    step = expm(A * got.t[1])
    expected = np.array(
        list(accumulate(range(len(got.t) - 1), lambda x, _: step @ x, initial=np.array([0, 0, 0, 12.0])))
    )
    names = ("rotor.angle", "der(rotor.angle)", "motor.current")
    np.testing.assert_allclose(np.column_stack([got[n] for n in names]), expected[:, :3], rtol=0, atol=1e-6)


@pytest.mark.parametrize("method", ["auto", "idas", "adams", "bdf", "rk4", "dop853"])
def test_a_quasi_static_motor(method):
    """w' = k (u - k w) / (R J): an exponential; the current is an algebraic variable and jumps with the voltage."""
    motor = QuasiStaticMotor("motor")
    k, R = motor.constant, motor.resistance
    t = np.linspace(0.0, 1.0, 51)
    options = {"step": 1e-3} if method == "rk4" else {}
    voltage = fb.piecewise_constant([0.0, 0.5], [12.0, -6.0])
    got = fb.simulate(driven(motor), t, u={"motor.voltage": voltage}, method=method, **options)
    decay = k**2 / (R * INERTIA)
    top = 12 / k * (1 - math.exp(-decay * 0.5))
    late = -6 / k + (top + 6 / k) * np.exp(-decay * (t - 0.5))
    rate = np.where(t < 0.5, 12 / k * (1 - np.exp(-decay * t)), late)
    np.testing.assert_allclose(got["der(rotor.angle)"], rate, rtol=0, atol=1e-6)
    volts = np.where(t < 0.5, 12.0, -6.0)
    np.testing.assert_allclose(got["motor.current"], (volts - k * rate) / R, rtol=0, atol=1e-6)
    assert got.z.shape == (51, 1)
    assert got.unit("motor.current") == "A"


def test_work_is_that_of_the_applied_forces():
    """The motor's current does the work on the arm; without friction all of it is kinetic energy."""
    for motor in (Motor("motor"), QuasiStaticMotor("motor")):
        got = fb.simulate(driven(motor), (0.0, 1.0), u={"motor.voltage": lambda t: 12 * np.sin(9 * t)})
        np.testing.assert_allclose(got["kinetic_energy"], got["work"], atol=1e-6)
        assert got["work"].max() > 1


ARM = models.subudhi_morris_2002(shapes="as-printed")
BOTH = ("motor1.torque", "motor2.torque")
MILLISECONDS = np.linspace(0.0, 5.0, 5001)


@pytest.fixture(scope="module")
def bang_bang():
    """The paper's input: +0.2 then -0.2 N m for half a second each at both motors."""
    return fb.simulate(fb.assemble(ARM), MILLISECONDS, u=dict.fromkeys(BOTH, fb.bang_bang(0.2, 0.5)))


def test_bang_bang_against_published_arm(bang_bang):
    """Every sample within 1e-4 rad and 1e-4 m; ``theta`` are the joints' angles, tip bodies as in eqs 47, 48."""
    expected = REFERENCE["bang_bang_0.2Nm_0.5s_each_clamped_mass_as_printed"]["flexible joints"]
    theta = np.column_stack([bang_bang["joint1.angle"], bang_bang["joint2.angle"]])
    tip = np.column_stack([bang_bang["link1.tip_deflection_y"], bang_bang["link2.tip_deflection_y"]])
    np.testing.assert_allclose(theta[::250], expected["theta_250ms"], rtol=0, atol=1e-4)
    np.testing.assert_allclose(tip[::250], expected["tip_250ms"], rtol=0, atol=1e-4)
    bent = np.column_stack([bang_bang["spring1.deflection"], bang_bang["spring2.deflection"]])
    for series, key in ((theta, "peak_theta"), (tip, "peak_tip"), (bent, "peak_joint_defl")):
        np.testing.assert_allclose(np.abs(series).max(axis=0), expected[key], rtol=0, atol=1e-6)


def test_energy_of_the_bang_bang_motion(bang_bang):
    """Nothing is damped: what the motors put in is there, within 1e-8 J."""
    energy = bang_bang["kinetic_energy"] + bang_bang["potential_energy"]
    assert np.abs(energy - bang_bang["work"]).max() < 1e-8
    assert bang_bang["work"].max() > 0.01


@pytest.mark.parametrize("method", ["dop853", "bdf", "rk4"])
def test_methods_agree_on_the_bang_bang_motion(bang_bang, method):
    options = {"step": 1e-4} if method == "rk4" else {}
    t = MILLISECONDS[:2001]
    u = dict.fromkeys(BOTH, fb.bang_bang(0.2, 0.5))
    other = fb.simulate(fb.assemble(ARM), t, u=u, method=method, **options)
    np.testing.assert_allclose(other["joint2.angle"], bang_bang["joint2.angle"][:2001], rtol=0, atol=1e-7)


@pytest.mark.parametrize("options", [{}, {"method": "dop853"}], ids=["auto", "dop853"])
def test_smooth_input_against_published_arm(options):
    """0.2 sin(2 pi t) N m for a second at both motors, two clamped-free modes a link: within 1e-6."""
    expected = REFERENCE["smooth_input_0.2sin(2pi t)_t<1_two_clamped_free_modes"]
    dae = fb.assemble(models.subudhi_morris_2002(shapes="clamped-free"))
    u = dict.fromkeys(BOTH, lambda t: 0.2 * np.sin(2 * np.pi * t) * (t < 1))
    got = fb.simulate(dae, np.array(expected["t"]), u=u, **options)
    for key, names in (
        ("rotor_angle", ("rotor1.angle", "rotor2.angle")),
        ("joint_angle", ("joint1.angle", "joint2.angle")),
        ("tip_deflection", ("link1.tip_deflection_y", "link2.tip_deflection_y")),
    ):
        np.testing.assert_allclose(np.column_stack([got[n] for n in names]), expected[key], rtol=0, atol=1e-6)


NAN = float("nan")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"t": 5.0}, r"t = 5.0; must be \(start, end\)"),
        ({"t": "later"}, "must be"),
        ({"t": (0.0,)}, "must be"),
        ({"t": (0.0, math.inf)}, "t must be finite"),
        ({"t": [0.0, NAN, 1.0]}, "t must be finite"),
        ({"t": (1.0, 0.0)}, "1 s is followed by 0 s"),
        ({"t": [0.0, 0.5, 0.5, 1.0]}, "t must rise; 0.5 s is followed by 0.5 s"),
        ({"x0": [0.0]}, "an array of 1 numbers; must have 2"),
        ({"x0": {"joint.angle": NAN}}, "x0: joint.angle = nan; must be a finite number"),
        ({"x0": [0.0, math.inf]}, "must be a finite number"),
        ({"p": [1.0]}, "an array of 1 numbers; must have 0"),
        ({"method": "rk45"}, r"'rk45'; must be one of auto, adams, .* Did you mean rk4\?"),
        ({"method": "rk4"}, "needs its fixed step"),
        ({"method": "rk4", "step": -0.1}, "step = -0.1"),
        ({"step": 0.1}, "only method 'rk4' has a fixed step"),
        ({"rtol": 0.0}, "rtol = 0.0; must be"),
        ({"atol": NAN}, "atol = nan; must be"),
    ],
)
def test_bad_arguments_are_refused(arguments, words):
    with pytest.raises(ParameterError, match=words):
        fb.simulate(pendulum(), **({"t": (0.0, 1.0)} | arguments))


def test_unknown_names_are_refused():
    with pytest.raises(NameUnknownError, match=r"no state 'joint.angel' .* Did you mean joint.angle\?"):
        fb.simulate(pendulum(), (0.0, 1.0), x0={"joint.angel": 1.0})
    with pytest.raises(NameUnknownError, match=r"no parameter 'bob\.mass'"):
        fb.simulate(pendulum(), (0.0, 1.0), p={"bob.mass": 1.0})


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


def test_a_beam_that_slides_out_of_its_hub_ends_the_run():
    model = fb.Model("slide")
    beam = model.add(fb.SlidingBeam("beam", 1.3, 0.3, 5.0, start=0.5))
    model.connect(model.add(fb.Ground("ground")).frame_b, beam.frame_a)
    with pytest.raises(fb.SimulationError, match=r"beam\.displacement leaves its reach, 0 to 1\.3 m") as caught:
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
    def torque(t):
        if t > 0.6:
            raise KeyboardInterrupt
        return 0.1 * math.cos(t)

    dae = driven(Motor("motor"))
    voltage = fb.Signal(torque, breakpoints=())
    with pytest.warns(FlexblocksWarning, match=r"was interrupted at t = 0\.\d+ s of 1 s; the trajectory ends"):
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


def test_progress(capsys):
    fb.simulate(pendulum(), (0.0, 1.0))
    assert capsys.readouterr() == ("", "")
    dae = replace(pendulum(), name="pendulum [a] {b}")
    fb.simulate(dae, (0.0, 1.0), progress=True)
    out, err = capsys.readouterr()
    assert out == ""
    assert "Simulating pendulum [a] {b}" in " ".join(err.split())
    assert "100%" in err
