"""Composite control: scheduled fast gains, the corrected slow motion, and the tuned law of the two-link arm."""

from __future__ import annotations

import runpy

import casadi as ca
import numpy as np
import pytest

import flexblocks as fb
from arms.driven import upright_arm
from arms.library import subudhi_morris
from flexblocks import control
from flexblocks.errors import ComputationError, NameUnknownError, ParameterError
from oracles.published import reference
from repository import EXAMPLES

JOINTS = ("joint1.angle", "joint2.angle")
GOAL = dict(zip(JOINTS, (np.pi / 2, np.pi / 6), strict=True))
MOTORS = ["motor1.torque", "motor2.torque"]
ENERGIES = {"elastic_energy": 10.0, "kinetic_energy": 10.0}
EXAMPLE = EXAMPLES / "subudhi_morris_2002.py"
REFERENCE = reference("subudhi_morris_2002")


@pytest.fixture(scope="module")
def dae():
    return subudhi_morris(shapes="as-printed")


@pytest.fixture(scope="module")
def split(dae):
    return control.singular_perturbation(dae)


def test_a_schedule_of_polynomials_is_exact_and_stays_at_the_ends_of_its_range():
    def design(place):
        a, b = place["a"], place["b"]
        return np.array([[1.0 + a**3, a * b], [0.0, b**2]])

    schedule = control.gain_schedule(design, {"a": (-1.0, 3.0), "b": (2.0, 5.0)})
    assert schedule.coefficients.shape == (4, 3, 2, 2)
    a, b = ca.SX.sym("a"), ca.SX.sym("b")
    symbolic = ca.Function("K", [a, b], [schedule.expression({"a": a, "b": b})])
    for place, there in (((0.3, 4.1), (0.3, 4.1)), ((-4.0, 2.5), (-1.0, 2.5)), ((9.0, 9.0), (3.0, 5.0))):
        expected = design(dict(zip("ab", there, strict=True)))
        assert schedule.at(dict(zip("ab", place, strict=True))) == pytest.approx(expected, abs=1e-12)
        assert symbolic(*place).full() == pytest.approx(expected, abs=1e-12)


def test_schedules_that_cannot_be_made():
    with pytest.raises(ComputationError, match="change too fast with a: 33 places"):
        control.gain_schedule(lambda at: np.array([[np.sign(at["a"] - 0.1)]]), {"a": (-1.0, 1.0)})
    with pytest.raises(ParameterError, match=r"over: a = .*low < high"):
        control.gain_schedule(lambda at: np.eye(1), {"a": (1.0, 0.0)})
    with pytest.raises(ParameterError, match="must be a dict from scheduling variables"):
        control.gain_schedule(lambda at: np.eye(1), {})
    with pytest.raises(ParameterError, match="tolerance = 0"):
        control.gain_schedule(lambda at: np.eye(1), {"a": (0.0, 1.0)}, tolerance=0)


@pytest.mark.parametrize(
    ("design", "message"),
    [
        (int, "ended in TypeError"),
        (lambda at: "K", "ended in ValueError"),
        (lambda at: np.ones(2), r"returned \[1.0, 1.0\]"),
        (lambda at: np.full((1, 1), np.nan), r"returned \[\[nan\]\]"),
        (lambda at: np.ones((1, 1 if at["a"] < 0.9 else 2)), r"returned gains \(1, 1\), and \(1, 2\) elsewhere"),
    ],
)
def test_a_design_that_returns_no_gains_is_refused(design, message):
    with pytest.raises(fb.FlexblocksError, match=f"gain_schedule: design = .*{message}.*matrix of gains"):
        control.gain_schedule(design, {"a": (0.0, 1.0)})


def test_scheduled_gains_are_those_of_the_regulator_at_every_posture(split):
    law = control.FastFeedback.lqr(split, ENERGIES, over={"joint2.angle": (0.0, 1.5)})
    for elbow in (0.1, 0.77, 1.4):
        alone = control.FastFeedback.lqr(split, ENERGIES, at={"joint2.angle": elbow})
        assert law.gain({"joint2.angle": elbow}) == pytest.approx(alone.K, abs=2e-4 * np.abs(alone.K).max())
    stretched = control.FastFeedback.lqr(split, ENERGIES).K
    assert np.abs(law.gain({"joint2.angle": 1.4}) - stretched).max() > 0.02 * np.abs(stretched).max()


def test_the_prescribed_degree_of_stability_is_kept_over_the_whole_range(split):
    law = control.FastFeedback.lqr(split, {"elastic_energy": 1.0}, over={"joint2.angle": (0.0, 1.5)}, decay=0.7)
    for elbow in np.linspace(0.0, 1.5, 7):
        fast = split.fast({"joint2.angle": elbow})
        assert np.linalg.eigvals(fast.A - fast.B @ law.gain({"joint2.angle": elbow})).real.max() < -0.7 + 1e-3


def test_the_corrected_slow_law_leaves_the_fast_subsystem_alone(dae, split):
    """Without a fast law, the poles are those of computed torque and those of A_f; measured at the joints, it grows."""
    slow = control.ComputedTorque(5.0, 2.0, model=split.slow)
    none = control.FastFeedback(split, np.zeros((2, 12)))
    posture = {"joint1.angle": 0.4, "joint2.angle": 0.9}
    at = posture | {"rotor1.angle": 0.4, "rotor2.angle": 0.9} | {f"reference.{k}": v for k, v in posture.items()}

    def poles(corrected):
        closed = control.close_loop(dae, control.SlowFast(slow, none, corrected=corrected))
        return np.linalg.eigvals(fb.linearize(closed, at).A)

    found = poles(True)
    expected = np.concatenate([np.roots([1.0, 2.0, 5.0])] * 2 + [np.linalg.eigvals(split.fast(posture).A)])
    for pole in expected:
        assert np.min(np.abs(found - pole)) < 1e-6 * max(1.0, abs(pole))
    assert poles(False).real.max() > 5.0


def test_fast_commands_vanish_on_the_slow_manifold():
    """Deformations and their rates are those that `quasi_static` gives, by finite differences; gravity included."""
    arm = upright_arm(modes=1)
    split = control.singular_perturbation(arm)
    ways = {"joint1.angle": control.quintic(0.2, 1.0, 1.0), "joint2.angle": control.cycloid(-0.1, 0.4, 1.0)}
    h, t = 1e-4, 0.3
    motion = split.quasi_static(ways, [t - h, t, t + h])
    q = np.array([motion[name][1] for name in arm.q_names])
    x = np.concatenate([q[:, 1], (q[:, 2] - q[:, 0]) / (2 * h)])
    K = np.random.default_rng(2).normal(size=(2, 4))
    sizes = {}
    for about in ("rest", "manifold"):
        closed = control.close_loop(arm, control.FastFeedback(split, K, about=about))
        given = control.follow(closed, ways) if about == "manifold" else {}
        u = [float(given[name](t)) for name in closed.u.names]
        y = closed.output(x, u, []).full().ravel()
        sizes[about] = np.abs([y[closed.y.names.index(motor)] for motor in MOTORS]).max()
    assert sizes["rest"] > 1e-2
    assert sizes["manifold"] < 1e-7


def test_laws_with_references_of_their_own_follow_any_motion_of_the_arm(dae, split):
    """Fed with a free motion of the arm and its inputs, the law commands these inputs and nothing else."""
    free = fb.simulate(dae, np.linspace(0, 0.4, 2001), {"motor1.torque": 0.1, "motor2.torque": -0.05})
    law = runpy.run_path(str(EXAMPLE))["tuned_law"](split)
    closed = control.close_loop(dae, law)
    names = [name.replace("reference.", "") for name in closed.u.names]
    i = 1500
    x = free.x[i]
    u = [free[name][i] for name in names]
    y = closed.output(x, u, []).full().ravel()
    commands = [y[closed.y.names.index(motor)] for motor in MOTORS]
    assert commands == pytest.approx([0.1, -0.05], abs=1e-9)
    moved = x.copy()
    moved[dae.x.names.index("link1.bending_y[1]")] += 1e-3
    y = closed.output(moved, u, []).full().ravel()
    assert abs(y[closed.y.names.index("motor1.torque")] - 0.1) > 1e-3


@pytest.mark.slow
def test_the_tuned_law_is_better_in_every_figure_and_well_damped(dae, split):
    """Joint errors below 0.05 rad, tips below 55 and 20 mm, damped along the path, at rest when it has arrived."""
    example = runpy.run_path(str(EXAMPLE))
    law = example["tuned_law"](split)
    closed = control.close_loop(dae, law)
    run = fb.simulate(closed, np.linspace(0, 4, 401), control.follow(closed, example["elastic_motion"](dae)))
    s = np.minimum(run.t / 2, 1.0)
    quintic = 10 * s**3 - 15 * s**4 + 6 * s**5
    errors = [np.abs(run[name] - goal * quintic).max() for name, goal in GOAL.items()]
    tips = [1e3 * np.abs(run[f"link{i}.tip_deflection_y"]).max() for i in (1, 2)]
    torques = [np.abs(run[motor]).max() for motor in MOTORS]
    best = REFERENCE["composite_control"]["slow + damper -1.0 (der(joint) - der(rotor))"]
    assert max(errors) < 0.05
    assert np.all(np.array(tips) < best["peak_tip_mm"])
    assert np.all(np.array(torques) < best["peak_torque"])
    assert np.abs(run["link1.tip_deflection_y"][run.t > 3.0]).max() < 5e-5
    _, poles = control.poles_along(closed, run, 20)
    assert poles.real.max() < -1.2
    assert np.min(-poles.real / np.abs(poles)) > 0.009
    assert np.min((-poles.real / np.abs(poles))[np.abs(poles) < 100]) > 0.05
    finer = control.close_loop(subudhi_morris(modes=4), law)
    assert np.linalg.eigvals(fb.linearize(finer).A).real.max() < -0.9


def test_refusals(dae, split):
    with pytest.raises(ParameterError, match=r"about = 'manifolds'.*'manifold'"):
        control.FastFeedback(split, np.zeros((2, 12)), about="manifolds")
    with pytest.raises(ParameterError, match="decay = -1"):
        control.FastFeedback.lqr(split, ENERGIES, decay=-1)
    with pytest.raises(NameUnknownError, match=r"Did you mean joint2\.angle"):
        control.FastFeedback.lqr(split, ENERGIES, over={"joint2.angel": (0.0, 1.0)})
    other = control.gain_schedule(lambda at: np.zeros((2, 12)), {"rotor1.angle": (0.0, 1.0)})
    with pytest.raises(NameUnknownError, match=r"scheduled over .rotor1\.angle., which is no slow coordinate"):
        control.FastFeedback(split, other)
    with pytest.raises(ParameterError, match=r"gains of shape \(1, 1\); must be \(2, 12\)"):
        control.FastFeedback(split, control.gain_schedule(lambda at: np.eye(1), {"joint1.angle": (0.0, 1.0)}))
    with pytest.raises(ParameterError, match="slow = 3; must be a law"):
        control.SlowFast(3, control.FastFeedback.damper(split, 1.0), corrected=True)
