"""Laws and observers from gains that are known: the loops of the designs whose gains they are."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import flexblocks as fb
from arms.driven import rotor, two_masses, upright_arm
from flexblocks import control
from flexblocks.errors import FlexblocksWarning, NameUnknownError, ParameterError

LQR = control.LQR({"load.angle": 5.0, "wheel.angle": 0.1}, R=0.5)
KALMAN = control.Kalman(["wheel.angle"], process={"motor.torque": 1e-2}, noise=1e-4)
STATES = ("wheel.angle", "load.angle", "der(wheel.angle)", "der(load.angle)")


def poles(dae: fb.DAE, law: control.Bindable) -> np.ndarray:
    return np.sort_complex(np.linalg.eigvals(fb.linearize(control.close_loop(dae, law)).A))


def multipliers(dae: fb.DAE, law: control.Bindable) -> np.ndarray:
    return np.sort_complex(control.multipliers(control.close_loop(dae, law)))


def test_the_gain_of_a_regulator_makes_the_regulators_loop():
    dae = two_masses()
    np.testing.assert_allclose(poles(dae, control.StateFeedback(LQR.gain(dae))), poles(dae, LQR), rtol=1e-10)


def test_it_acts_about_its_point():
    """Upright links against gravity: the torques that hold them, and set points as references."""
    dae = upright_arm(links=2, modes=1)
    at = fb.equilibrium(dae, {"joint1.angle": 1.2, "joint2.angle": 0.4})
    lqr = control.LQR({"joint1.angle": 50.0, "joint2.angle": 50.0, "kinetic_energy": 1.0}, at=at)
    law = control.StateFeedback(lqr.gain(dae), at=at, references=["joint1.angle"])
    closed = control.close_loop(dae, law)
    assert closed.u.names == ("reference.joint1.angle",)
    run = fb.simulate(closed, (0.0, 0.2), u={"reference.joint1.angle": 1.2}, x0=at.x)
    assert run["joint1.angle"][-1] == pytest.approx(1.2, abs=1e-9)
    assert run["motor1.torque"][-1] == pytest.approx(at["motor1.torque"], rel=1e-7)
    rest = dict(zip(at.states, at.x.tolist(), strict=True))
    found = np.linalg.eigvals(fb.linearize(closed, rest | {"reference.joint1.angle": 1.2}).A)
    expected = np.linalg.eigvals(fb.linearize(control.close_loop(dae, lqr), rest).A)
    np.testing.assert_allclose(np.sort_complex(found), np.sort_complex(expected), rtol=1e-10)


def test_states_in_an_order_of_ones_own_and_gains_by_name():
    dae = two_masses()
    K = LQR.gain(dae)
    order = [2, 0, 3, 1]
    reordered = control.StateFeedback(K[:, order], states=[STATES[i] for i in order])
    by_name = control.StateFeedback({"motor.torque": dict(zip(STATES, K[0], strict=True))})
    for law in (reordered, by_name):
        np.testing.assert_allclose(poles(dae, law), poles(dae, LQR), rtol=1e-10)
    few = control.StateFeedback([[3.0, 0.4]], states=["wheel.angle", "der(wheel.angle)"])
    named = control.StateFeedback({"motor.torque": {"der(wheel.angle)": 0.4, "wheel.angle": 3.0}})
    pd = control.PD({"wheel.angle": "motor.torque"}, kp=3.0, kd=0.4)
    np.testing.assert_allclose(poles(dae, few), poles(dae, pd), rtol=1e-10)
    np.testing.assert_allclose(poles(dae, named), poles(dae, pd), rtol=1e-10)


def test_a_gain_of_some_inputs_leaves_the_others_free():
    dae = upright_arm(links=2, modes=1)
    at = fb.equilibrium(dae, {"joint1.angle": 1.5, "joint2.angle": 0.0})
    law = control.StateFeedback({"motor2.torque": {"joint2.angle": 4.0}}, at=at)
    assert control.close_loop(dae, law).u.names == ("motor1.torque",)


@pytest.mark.parametrize(
    "observer", [KALMAN, control.Luenberger(["wheel.angle"], poles=[-10, -12, -20 + 5j, -20 - 5j])]
)
def test_the_gain_of_an_observer_makes_its_loop(observer: control.Observer):
    dae = two_masses()
    L = observer.gain(fb.linearize(dae, outputs=["wheel.angle"]))
    by_name = {name: {"wheel.angle": value} for name, value in zip(STATES, L[:, 0], strict=True)}
    designed = poles(dae, control.OutputFeedback(LQR, observer))
    for given in (L, by_name):
        known = control.OutputFeedback(
            control.StateFeedback(LQR.gain(dae)), control.Luenberger(["wheel.angle"], L=given)
        )
        np.testing.assert_allclose(poles(dae, known), designed, rtol=1e-10)


def test_sampled_gains_make_the_sampled_loop():
    dae, T = two_masses(), 0.05
    L = KALMAN.gain(fb.linearize(dae, outputs=["wheel.angle"]), T)
    known = control.OutputFeedback(control.StateFeedback(LQR.gain(dae, T)), control.Luenberger(["wheel.angle"], L=L))
    designed = control.OutputFeedback(LQR, KALMAN)
    np.testing.assert_allclose(
        multipliers(dae, control.Sampled(known, T)), multipliers(dae, control.Sampled(designed, T)), rtol=0, atol=1e-10
    )


@pytest.mark.parametrize("sample_time", [None, 0.05])
def test_an_error_that_grows_is_told(sample_time: float | None):
    dae = two_masses()
    L = KALMAN.gain(fb.linearize(dae, outputs=["wheel.angle"]))
    wrong = -L if sample_time is None else L  # of continuous time, in a sampled observer
    law = control.OutputFeedback(LQR, control.Luenberger(["wheel.angle"], L=wrong))
    with pytest.warns(FlexblocksWarning, match="with this L the estimation error grows"):
        control.close_loop(dae, law if sample_time is None else control.Sampled(law, sample_time))
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # an observer without measurement neither gains nor loses
        control.close_loop(dae, control.OutputFeedback(LQR, control.Luenberger(["wheel.angle"], L=0 * L)))


@pytest.mark.parametrize(
    ("law", "error", "message"),
    [
        (
            control.StateFeedback([1.0, 2.0]),
            ParameterError,
            r"StateFeedback: K is of shape \(2,\); must be \(1, 4\): a row for each of the inputs motor.torque, a "
            r"column for each of the states wheel.angle, ",
        ),
        (control.StateFeedback("K"), ParameterError, r"StateFeedback: K = 'K'; must be \(1, 4\)"),
        (control.StateFeedback([[1, 2], [3]]), ParameterError, r"K = \[\[1, 2\], \[3\]\]; must be"),
        (
            control.StateFeedback([[1.0, np.nan, 0, 0]]),
            ParameterError,
            "gain of motor.torque, load.angle is nan; must be",
        ),
        (control.StateFeedback({"motor.torqe": {}}), NameUnknownError, "Did you mean motor.torque"),
        (
            control.StateFeedback({"motor.torque": 1.0}),
            ParameterError,
            r"torque\] = 1.0; must be a dict by states",
        ),
        (
            control.StateFeedback({"motor.torque": {"wheel.angel": 1.0}}),
            NameUnknownError,
            r"K\[motor.torque\]: there is no 'wheel.angel'.*Did you mean wheel.angle",
        ),
        (
            control.StateFeedback({"motor.torque": {"wheel.angle": "much"}}),
            ParameterError,
            r"K\[motor.torque\]\[wheel.angle\] = 'much'; must be a finite number",
        ),
        (
            control.StateFeedback([[1.0]], states=["wheel.angel"]),
            NameUnknownError,
            "states: .*you mean wheel.angle",
        ),
        (control.StateFeedback([[1.0] * 2], states=["wheel.angle"] * 2), ParameterError, "one state or more, each"),
        (control.StateFeedback([[1.0] * 4], references=["load"]), NameUnknownError, "references: there is no state"),
        (
            control.OutputFeedback(LQR, control.Luenberger(["wheel.angle"], L=[[1.0, 2.0, 3.0, 4.0]])),
            ParameterError,
            r"Luenberger: L is of shape \(1, 4\); must be \(4, 1\): a row for each of the states",
        ),
        (
            control.OutputFeedback(LQR, control.Luenberger(["wheel.angle"], poles=[-1.0], L=[[1.0]])),
            ParameterError,
            "must be one of the two",
        ),
        (
            control.OutputFeedback(LQR, control.Luenberger(["wheel.angle"])),
            ParameterError,
            "Or give the gain itself, L=",
        ),
    ],
)
def test_refused(law: control.Law, error: type[Exception], message: str):
    with pytest.raises(error, match=message):
        control.close_loop(two_masses(), law)


class Spring:
    """A law that inherits from nothing: a torque against the angle."""

    def bind(self, dae: fb.DAE, actuators: object) -> control.Bound:
        return control.Bound({"motor.torque": -2.0 * dae.x.symbol[dae.x.index("wheel.angle")]})


class Damper(control.Law):
    def bind(self, dae: fb.DAE, actuators: object) -> control.Bound:
        return control.Bound({"motor.torque": -0.3 * dae.x.symbol[dae.x.index("der(wheel.angle)")]})


def test_a_law_need_not_inherit():
    dae = rotor()
    pd = control.PD({"wheel.angle": "motor.torque"}, kp=2.0, kd=0.3)
    expected = poles(dae, pd)
    sums = (Spring() + Damper(), Damper() + Spring(), control.Sum(Spring(), Damper()))
    for law in sums:
        np.testing.assert_allclose(poles(dae, law), expected, rtol=1e-10)
    T = 0.02
    np.testing.assert_allclose(
        multipliers(dae, control.Sampled(control.Sum(Spring(), Damper()), T)),
        multipliers(dae, control.Sampled(pd, T)),
        atol=1e-10,
    )
    observer = control.Kalman(["wheel.angle"], process={"motor.torque": 1.0}, noise=1e-3)
    closed = control.close_loop(dae, control.OutputFeedback(Spring(), observer))
    assert "estimate.wheel.angle" in closed.x
    assert control.open_loop(dae, Spring()).inputs == ("motor.torque",)
    assert control.margins(dae, control.Sum(Spring(), Damper()))["motor.torque"].phase > 0
    assert not control.spillover(Spring(), dae, dae).modes


def test_its_other_methods_are_used_where_it_has_them():
    class Halved(Spring):
        def bind_sampled(self, dae: fb.DAE, actuators: object, sample_time: float) -> control.Bound:
            return control.Bound({"motor.torque": -1.0 * dae.x.symbol[dae.x.index("wheel.angle")]})

    half = control.StateFeedback({"motor.torque": {"wheel.angle": 1.0}})
    np.testing.assert_allclose(
        multipliers(rotor(), control.Sampled(Halved(), 0.1)),
        multipliers(rotor(), control.Sampled(half, 0.1)),
        atol=1e-12,
    )


class Dictionary:
    def bind(self, dae: fb.DAE, actuators: object) -> dict[str, float]:
        return {"motor.torque": 0.0}


class OfTheArmAlone:
    def bind(self, dae: fb.DAE) -> control.Bound:
        return control.Bound({"motor.torque": 0.0})


class Unsampled(Spring):
    def bind_sampled(self, dae: fb.DAE, actuators: object) -> control.Bound:
        return self.bind(dae, actuators)


class DerivedDictionary(control.Law):
    def bind(self, dae: fb.DAE, actuators: control.Actuators) -> control.Bound:
        return {"motor.torque": 0.0}  # type: ignore[return-value]


class DerivedOfTheArmAlone(control.Law):
    def bind(self, dae: fb.DAE) -> control.Bound:  # type: ignore[override]
        return control.Bound({"motor.torque": 0.0})


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (OfTheArmAlone, r"its method is bind\(dae\) .*; must be bind\(dae, actuators\)"),
        (DerivedOfTheArmAlone, r"its method is bind\(dae\) .*; must be bind\(dae, actuators\)"),
        (lambda: Damper() + OfTheArmAlone(), r"Sum: laws = .* must be bind\(dae, actuators\)"),
        (lambda: control.Sampled(Unsampled(), 0.1), r"must be bind_sampled\(dae, actuators, sample_time\)"),
        (DerivedDictionary, "close_loop: DerivedDictionary.bind returned .*; must be a control.Bound"),
        (lambda: Spring, "close_loop: law = .* is a class; must be an instance"),
        (lambda: "PD", r"close_loop: law = 'PD'; must be a law .* method bind\(dae, actuators\)"),
        (Dictionary, "close_loop: Dictionary.bind returned .*; must be a control.Bound"),
        (lambda: control.Sum(Spring(), 1.0), "Sum: laws = 1.0; must be a law"),
        (lambda: control.Sum(), r"Sum: laws = \(\); must be one law or more"),
        (lambda: control.Sampled(None, 0.1), "Sampled: law = None; must be a law"),
        (lambda: control.OutputFeedback(3, KALMAN), "OutputFeedback: law = 3; must be a law"),
        (lambda: control.OutputFeedback(Spring(), Spring()), "observer = .*; must be of type Observer"),
        (lambda: Damper() + 3.0, "Sum: laws = 3.0; must be a law"),
    ],
)
def test_what_is_no_law_is_refused(make, message: str):
    with pytest.raises(ParameterError, match=message):
        control.close_loop(rotor(), make())
