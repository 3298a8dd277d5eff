"""Model-based laws: they turn joints into double integrators, by the equations of the papers."""

from __future__ import annotations

import numpy as np
import pytest

import flexblocks as fb
from arms.driven import upright_arm
from arms.library import subudhi_morris
from flexblocks import control
from flexblocks.errors import FlexblocksError, NameUnknownError, ParameterError

JOINTS = ["joint1.angle", "joint2.angle"]
GP, GV = 400.0, 40.0


def at_random(closed: fb.DAE):
    """Return states, accelerations and inputs of a closed loop, by name, and x."""
    rng = np.random.default_rng(5)
    x, u = 0.3 * rng.normal(size=len(closed.x)), rng.normal(size=len(closed.u))
    n = closed.tree.size
    rates = closed.forward_dynamics(x, u, []).full().ravel()
    a = dict(zip(closed.q_names, rates[n : 2 * n], strict=True))
    return dict(zip(closed.x.names, x, strict=True)), a, dict(zip(closed.u.names, u, strict=True)), x, u


def wanted(name, x, u):
    error = u[f"reference.{name}"] - x[name]
    return u[f"der(reference.{name},2)"] + GV * (u[f"der(reference.{name})"] - x[f"der({name})"]) + GP * error


def test_decoupling_is_theodore_and_ghosal_eq_31():
    dae = upright_arm(modes=2)
    closed = control.close_loop(dae, control.Decoupling(JOINTS, kp=GP, kd=GV))
    state, a, given, x, u = at_random(closed)
    for name in JOINTS:
        assert a[name] == pytest.approx(wanted(name, state, given), rel=1e-10)
    n = dae.tree.size
    M = dae.mass_matrix(x[:n], []).full()
    h = dae.inverse_dynamics(x[:n], x[n:], np.zeros(n), []).full().ravel()
    r = [dae.q_names.index(name) for name in JOINTS]
    f = [i for i in range(n) if i not in r]
    through = M[np.ix_(r, f)] @ np.linalg.inv(M[np.ix_(f, f)])
    accelerations = np.array([wanted(name, state, given) for name in JOINTS])
    torque = (M[np.ix_(r, r)] - through @ M[np.ix_(f, r)]) @ accelerations + h[r] - through @ h[f]
    shown = dict(zip(closed.y.names, closed.output(x, u, []).full().ravel(), strict=True))
    assert np.allclose([shown["motor1.torque"], shown["motor2.torque"]], torque, rtol=1e-10)


def test_computed_torque_decouples_its_own_model():
    rigid = upright_arm(modes=0)
    closed = control.close_loop(rigid, control.ComputedTorque(GP, GV))
    state, a, given, _, _ = at_random(closed)
    for name in JOINTS:
        assert a[name] == pytest.approx(wanted(name, state, given), rel=1e-11)


def test_computed_torque_of_the_rigid_arm_on_the_flexible_one():
    """The command is the rigid arm's inverse dynamics at what is measured of the flexible one."""
    rigid, dae = upright_arm(modes=0), upright_arm(modes=2)
    closed = control.close_loop(dae, control.ComputedTorque(GP, GV, model=rigid))
    state, _, given, x, u = at_random(closed)
    q, v = [state[name] for name in JOINTS], [state[f"der({name})"] for name in JOINTS]
    torque = rigid.inverse_dynamics(q, v, [wanted(name, state, given) for name in JOINTS], []).full().ravel()
    shown = dict(zip(closed.y.names, closed.output(x, u, []).full().ravel(), strict=True))
    assert np.allclose([shown["motor1.torque"], shown["motor2.torque"]], torque, rtol=1e-12)


def test_a_decoupled_joint_follows_its_reference_to_integration_accuracy():
    dae = upright_arm(modes=2)
    closed = control.close_loop(dae, control.Decoupling(JOINTS, kp=GP, kd=GV))
    u = control.follow(closed, {name: control.cycloid(0.0, 1.0, 0.5) for name in JOINTS})
    run = fb.simulate(closed, (0.0, 0.6), u=u)
    assert max(np.max(np.abs(run[f"error.{name}"])) for name in JOINTS) < 1e-8
    assert np.max(np.abs(run["link1.tip_deflection_y"])) > 1e-3  # while the links do bend


def test_decoupling_by_another_model_leaves_an_error():
    """An overestimated stiffness: the law acts by its model, the joints feel the difference (eqs 31, 35)."""
    dae = upright_arm(modes=1)
    stiffer = subudhi_morris(modes=1, joints="rigid")
    closed = control.close_loop(dae, control.Decoupling(JOINTS, kp=GP, kd=GV, model=stiffer))
    state, a, given, _, _ = at_random(closed)
    assert abs(a[JOINTS[0]] - wanted(JOINTS[0], state, given)) > 1.0


def test_rotors_are_decoupled_where_joints_cannot_be():
    dae = subudhi_morris(modes=1)
    rotors = ["rotor1.angle", "rotor2.angle"]
    closed = control.close_loop(dae, control.Decoupling(rotors, kp=GP, kd=GV))
    state, a, given, _, _ = at_random(closed)
    assert a["rotor2.angle"] == pytest.approx(wanted("rotor2.angle", state, given), rel=1e-9)
    with pytest.raises(ParameterError, match="at once"):
        control.close_loop(dae, control.Decoupling(JOINTS, kp=GP, kd=GV))


@pytest.mark.parametrize(
    ("law", "error", "words"),
    [
        (lambda dae: control.Decoupling(["joint1.angle"]), ParameterError, "as many"),
        (lambda dae: control.Decoupling(["joint1.angle", "der(joint2.angle)"]), ParameterError, "not a coordinate"),
        (lambda dae: control.Decoupling(["joint1.angle", "joint3.angle"]), NameUnknownError, "joint2.angle"),
        (lambda dae: control.ComputedTorque(1.0, 1.0), ParameterError, "rigid arm"),
        (lambda dae: control.ComputedTorque(1.0, 1.0, model=dae, measured={"elbow": "x"}), NameUnknownError, "elbow"),
    ],
)
def test_wrong_models_are_refused(law, error, words):
    with pytest.raises(error, match=words):
        control.close_loop(upright_arm(), law(upright_arm()))


def test_a_model_with_other_names_is_refused():
    rigid = upright_arm(links=1, modes=0)
    other = subudhi_morris(links=1, modes=1, joints="flexible")
    law = control.ComputedTorque(1.0, 1.0, model=rigid, measured={"joint1.angle": "elbow.angle"})
    with pytest.raises(FlexblocksError, match=r"elbow\.angle"):
        control.close_loop(other, law)
