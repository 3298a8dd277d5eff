"""Regressors of rigid arms: base parameters, torques, and fits whose bodies can exist."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import flexblocks as fb
from arms.linkages import FourBar
from arms.measured_arm import measured_arm
from arms.six_joints import six_joints
from flexblocks import models
from flexblocks.errors import FlexblocksWarning, ModelError, NameUnknownError, ParameterError
from flexblocks.identification.rigid.log_cholesky import is_consistent, log_cholesky, pseudo_inertia, standard

TORQUES = 1e-10


def same_torques(dae: fb.DAE, regressor: fb.Regressor, count: int = 5, p=None) -> None:
    """Base parameters of the model give the torques of its inverse dynamics."""
    rng = np.random.default_rng(1)
    p = dae.p.start if p is None else p
    q, v, a = rng.normal(size=(3, count, dae.tree.size))
    found = regressor.torques(q, v, a)
    for row in range(count):
        true = dae.inverse_dynamics(q[row], v[row], a[row], p).full().ravel()
        np.testing.assert_allclose(found[row], true, rtol=0, atol=TORQUES * np.abs(true).max())
        np.testing.assert_allclose(regressor.torques(q[row], v[row], a[row]), found[row], rtol=1e-12, atol=1e-12)


def floating() -> fb.DAE:
    """A body that floats, with a link, and a rotor on it whose mount turns, too."""
    model = fb.Model("floating", gravity=(0.0, 0.0, -9.81))
    hull = fb.RigidBody("hull", 5.0, inertia=np.diag([1.0, 1.5, 2.0]), center=(0.1, 0, 0.05), reach=(0.3, 0, 0.1))
    for block in (
        fb.Ground("ground"),
        fb.FreeMotion("base"),
        hull,
        fb.FixedTransform("bracket", (0.0, 0.2, 0.0), (0.4, 0.0, 0.0)),
        fb.TorqueSource("motor"),
        fb.Rotor("rotor", inertia=0.02, gear_ratio=5.0, axis=(0, 1, 0)),
        fb.Revolute("joint", axis=(0, 1, 0)),
        fb.RigidBody("link", 1.0, inertia=np.diag([0.1, 0.2, 0.3]), center=(0.2, 0.02, 0), reach=(0.4, 0, 0)),
        fb.Payload("payload", mass=0.5, inertia=0.01 * np.eye(3)),
        fb.LumpedMass("camera", mass=0.3),
    ):  # fmt: skip
        model.add(block)
    for ports in (
        ("ground.frame_b", "base.frame_a"),
        ("base.frame_b", "hull.frame_a"),
        ("hull.frame_b", "bracket.frame_a"),
        ("bracket.frame_b", "joint.frame_a", "rotor.frame_a", "camera.frame_a"),
        ("motor.flange_b", "rotor.flange_a"),
        ("rotor.flange_b", "joint.axis"),
        ("joint.frame_b", "link.frame_a"),
        ("link.frame_b", "payload.frame_a"),
    ):
        model.connect(*ports)
    return fb.assemble(model)


@pytest.mark.parametrize(
    ("arm", "rank"),
    [
        (lambda: fb.assemble(models.subudhi_morris_2002(modes=0, joints="rigid")), 5),
        (lambda: fb.assemble(models.subudhi_morris_2002(modes=0)), 6),
        (lambda: fb.assemble(models.subudhi_morris_2002(modes=0, rotor_mount="carried")), 6),
        (lambda: six_joints(1.0, 5.0), 40),
        (floating, 10 + 7 + 1),
    ],
    ids=["planar", "elastic joints", "carried rotors", "six joints", "floating base"],
)
def test_torques_of_base_parameters_are_those_of_inverse_dynamics(arm, rank):
    """The numbers for two links in a plane: 3 of the second, the inner inertia with the outer mass, and the rotors'."""
    dae = arm()
    regressor = fb.regressor(dae)
    assert regressor.rank == rank
    same_torques(dae, regressor)


def test_the_planar_arm_by_hand():
    """Two links of length l: I1 + m2 l^2 + rotor 1, h2, I2, rotor 2 (with gear ratio 1)."""
    regressor = fb.regressor(fb.assemble(models.subudhi_morris_2002(modes=0, joints="rigid")))
    assert regressor.names == (
        "link1.inertia_zz + 0.25 link2.mass + rotor1.inertia",
        "link2.moment_x",
        "link2.moment_y",
        "link2.inertia_zz",
        "rotor2.inertia",
    )
    assert regressor.units == ("kg m2", "kg m", "kg m", "kg m2", "kg m2")
    assert "link1.mass" in regressor.without_effect
    # Link of 0.1 kg and 0.5 m with a payload of 0.1 kg and 0.005 kg m2 at its end; rotors of 0.02 kg m2.
    link2 = 0.1 * 0.5**2 / 3 + 0.1 * 0.5**2 + 0.005
    inner = 0.1 * 0.5**2 / 3 + 0.25 * 0.2 + 0.02
    np.testing.assert_allclose(regressor.values, [inner, 0.1 * 0.25 + 0.1 * 0.5, 0, link2, 0.02], atol=1e-12)


def test_what_symbols_stand_for_is_in_the_columns():
    dae = fb.assemble(models.subudhi_morris_2002(modes=0, joints="rigid"), symbolic=("link1.length", "payload.mass"))
    p = {"link1.length": 0.7, "payload.mass": 0.3}
    regressor = fb.regressor(dae, p=p)
    same_torques(dae, regressor, p=[0.7, 0.3])
    assert regressor.names[0].startswith("link1.inertia_zz + 0.49 link2.mass")


def test_springs_stay_in_the_model():
    stiff = fb.stiffen(measured_arm().model)
    same_torques(fb.assemble(stiff), fb.regressor(fb.assemble(stiff)))
    dae = fb.assemble(fb.rediscretize(measured_arm().model, fb.Rigid()))
    same_torques(dae, fb.regressor(dae))


def test_a_compiled_arm_has_a_compiled_regressor():
    dae = fb.assemble(models.subudhi_morris_2002(modes=0, joints="rigid"))
    fast = fb.regressor(dae.compile())
    slow = fb.regressor(dae)
    q, v, a = np.random.default_rng(0).normal(size=(3, 2))
    np.testing.assert_allclose(fast(q, v, a), slow(q, v, a), rtol=1e-12, atol=1e-14)


ROBOTS = ("double_pendulum_description/urdf/double_pendulum.urdf",)
MORE = (
    "ur_description/urdf/ur5_robot.urdf",
    "kinova_description/robots/kinova.urdf",
    "solo_description/robots/solo12.urdf",
)


def rank(W: np.ndarray) -> int:
    """Return how many columns are independent, each of unit length; columns of rounding left out."""
    size = np.linalg.norm(W, axis=0)
    kept = size > 1e-8 * size.max()
    sizes = np.linalg.svd(W[:, kept] / size[kept], compute_uv=False)
    return int(np.count_nonzero(sizes > 1e-8 * sizes[0]))


def described(file: str) -> tuple[fb.DAE, Any]:
    """Return a robot of example-robot-data, and Pinocchio's model of it."""
    pin = pytest.importorskip("pinocchio")
    path = Path(pin.__file__).parents[4] / "share/example-robot-data/robots" / file
    if not path.exists():
        pytest.skip("example-robot-data is not installed")
    return fb.assemble(fb.from_urdf(path, base="fixed").model), pin.buildModelFromUrdf(str(path))


@pytest.mark.parametrize("file", [*ROBOTS, *(pytest.param(file, marks=pytest.mark.slow) for file in MORE)])
def test_the_rank_is_that_of_pinocchio(file):
    dae, other = described(file)
    pin = pytest.importorskip("pinocchio")
    regressor = fb.regressor(dae)
    same_torques(dae, regressor)
    data, rng = other.createData(), np.random.default_rng(0)
    low, high = -3 * np.ones(other.nq), 3 * np.ones(other.nq)
    rows = []
    for _ in range(10 * other.nv):
        v, a = rng.normal(size=(2, other.nv))
        rows.append(pin.computeJointTorqueRegressor(other, data, pin.randomConfiguration(other, low, high), v, a))
    assert regressor.rank == rank(np.vstack(rows))


@pytest.mark.slow
def test_fingers_that_mimic_each_other_tell_less_than_two_free_ones():
    """A Panda: 51 base parameters of two free fingers, 48 of tied ones, and these span what Pinocchio's columns do."""
    dae, other = described("panda_description/urdf/panda.urdf")
    pin = pytest.importorskip("pinocchio")
    regressor = fb.regressor(dae)
    tied = np.zeros((other.nv, len(dae.q_names)))
    tied[:8, :8] = np.eye(8)
    tied[8, 7] = 1.0
    data, rng, free, theirs, ours = other.createData(), np.random.default_rng(0), [], [], []
    for _ in range(100):
        q, v, a = rng.normal(size=(3, 9))
        free.append(pin.computeJointTorqueRegressor(other, data, q, v, a).copy())
        q, v, a = rng.normal(size=(3, 8))
        theirs.append(tied.T @ pin.computeJointTorqueRegressor(other, data, tied @ q, tied @ v, tied @ a))
        ours.append(regressor(q, v, a))
    one, other = np.vstack(ours), np.vstack(theirs)
    assert rank(np.vstack(free)) == 51
    assert regressor.rank == rank(one) == rank(other) == rank(np.hstack([one, other])) == 48


@cache
def excitation(duration: float, sample_time: float) -> tuple[np.ndarray, ...]:
    """A motion of six joints of slow sines: t, q, v, a."""
    rng = np.random.default_rng(3)
    t = np.arange(0, duration, sample_time)
    omega = 2 * np.pi * 0.15 * np.arange(1, 7)
    A, B = 0.7 * rng.normal(size=(2, 6, 6)) / np.arange(1, 7)
    s, c = np.sin(np.outer(omega, t)), np.cos(np.outer(omega, t))
    q, v, a = A @ s + B @ c, (A * omega) @ c - (B * omega) @ s, -(A * omega**2) @ s - (B * omega**2) @ c
    return t, q, v, a


def bench(noise: float, friction: tuple[float, float] = (0.0, 0.0), duration: float = 8.0, seed: int = 0) -> fb.Record:
    """What was measured on six joints: angles, and the torques of the motors."""
    dae = six_joints(1.0, 5.0)
    t, q, v, a = excitation(duration, 2e-3)
    torque = dae.inverse_dynamics.map(len(t))(q, v, a, np.zeros((0, len(t)))).full()
    torque = torque + friction[0] * v + friction[1] * np.tanh(v / 0.01)
    rng = np.random.default_rng(seed)
    torque = torque + noise * 0.5 * rng.normal(size=q.shape)
    angles = q + noise * 1e-5 * rng.normal(size=q.shape)
    return fb.Record(t, dict(zip(dae.u.names, torque, strict=True)), dict(zip(dae.q_names, angles, strict=True)))


def test_parameters_and_friction_come_from_torques(tmp_path):
    dae = six_joints(1.0, 5.0)
    regressor = fb.regressor(dae, ("viscous", "coulomb"))
    fit = regressor.fit(bench(0.0, (2.0, 1.0), duration=4.0), held=False)
    true = np.concatenate([regressor.values[:40], np.full(6, 2.0), np.full(6, 1.0)])
    np.testing.assert_allclose(fit.values, true, atol=1e-6)
    assert fit.p["joint3.angle.viscous"] == pytest.approx(2.0)
    assert fit.units["joint3.angle.coulomb"] == "N m"
    assert fit.links["link3"].mass == pytest.approx(5.0)
    np.testing.assert_allclose(fit.links["link3"].center, [0.6, 0, 0], atol=1e-6)
    q, v, a = np.random.default_rng(0).normal(size=(3, 6))
    np.testing.assert_allclose(regressor.torques(q, v, a, fit.values), regressor(q, v, a) @ true, atol=1e-5)
    fit.save(tmp_path / "fit.nc")
    again = fb.load(tmp_path / "fit.nc")
    assert str(again) == str(fit)
    assert again.intervals == fit.intervals
    assert again.standard == fit.standard
    np.testing.assert_array_equal(again.links["link3"].inertia, fit.links["link3"].inertia)
    np.testing.assert_array_equal(again.correlations[1], fit.correlations[1])


@pytest.mark.slow
def test_noise_leaves_the_truth_in_the_intervals_and_bodies_that_exist():
    regressor = fb.regressor(six_joints(1.0, 5.0))
    fit = regressor.fit(bench(1.0, duration=5.0), cutoff=20.0, held=False)
    inside = [low <= true <= high for (low, high), true in zip(fit.intervals.values(), regressor.values, strict=True)]
    assert np.mean(inside) >= 0.85
    standard_values = np.array(list(fit.standard.values()))
    for i in range(6):
        assert is_consistent(standard_values[10 * i : 10 * i + 10])
        assert np.all(np.linalg.eigvalsh(fit.links[f"link{i + 1}"].inertia) > 0)
    np.testing.assert_allclose(regressor.combinations @ standard_values, fit.values, rtol=1e-9, atol=1e-9)
    assert 0 <= fit.excess < 0.1
    assert "joint1.angle" in str(fit)


def test_least_squares_that_no_body_has_are_brought_to_one_that_can_exist():
    """Short and noisy: least squares alone give a rotor a negative inertia somewhere, the fit never does."""
    regressor = fb.regressor(six_joints(1.0, 5.0))
    fit = regressor.fit(bench(60.0, duration=3.0, seed=2), cutoff=10.0, held=False)
    assert min(fit.least_squares[f"rotor{i}.inertia"] for i in range(3, 7)) < 0
    assert min(fit.p[f"rotor{i}.inertia"] for i in range(3, 7)) > 0
    standard_values = np.array(list(fit.standard.values()))
    assert all(is_consistent(standard_values[10 * i : 10 * i + 10]) for i in range(6))


def test_held_torques_act_between_their_samples():
    """Of a rotor under torques that hold, simulated: its inertia, which half a sample's delay would bias."""
    model = fb.Model("rotor")
    for block in (fb.Ground("ground"), fb.TorqueSource("motor"), fb.Rotor("wheel", inertia=0.1)):
        model.add(block)
    model.connect("motor.flange_b", "wheel.flange_a")
    dae = fb.assemble(model)
    t = 1e-2 * np.arange(1000)
    torque = np.sin(2 * np.pi * 1.0 * t) + np.sin(2 * np.pi * 2.3 * t)
    states = fb.stepper(dae, 1e-2).rollout(None, {"motor.torque": torque[None]})[0]
    record = fb.Record(t, {"motor.torque": torque}, {"wheel.angle": states[:1000, 0]})
    regressor = fb.regressor(dae, "viscous")
    fit = regressor.fit(record)
    assert fit.p["wheel.inertia"] == pytest.approx(0.1, rel=3e-3)
    assert abs(fit.least_squares["wheel.angle.viscous"]) < 1e-3
    late = regressor.fit(record, held=False)
    assert abs(late.least_squares["wheel.angle.viscous"]) > 3e-3


def test_what_a_motion_does_not_tell_is_warned_of():
    dae = fb.assemble(models.subudhi_morris_2002(modes=0, joints="rigid"))
    t = 0.01 * np.arange(400)
    v, a = np.cos(t), -np.sin(t)
    record = fb.Record(
        t,
        {"motor1.torque": 0.15 * a, "motor2.torque": 0.05 * a},
        {"joint1.angle": np.sin(t), "joint2.angle": 0 * t, "der(joint1.angle)": v, "der(joint2.angle)": 0 * t,
         "der(der(joint1.angle))": a, "der(der(joint2.angle))": 0 * t},
    )  # fmt: skip
    with pytest.warns(FlexblocksWarning, match="does not determine"):
        fit = fb.regressor(dae).fit(record, held=False)
    assert np.isinf(fit.deviations["rotor2.inertia"])


def test_log_cholesky_parameters_go_back_and_forth():
    """Of random bodies; and any ten numbers are a body."""
    rng = np.random.default_rng(0)
    for _ in range(20):
        points, masses = rng.normal(size=(6, 3)), rng.uniform(0.1, 1, 6)
        h = masses @ points
        second = np.einsum("k,ki,kj->ij", masses, points, points)
        inertia = np.trace(second) * np.eye(3) - second
        values = np.array([masses.sum(), *h, *np.diag(inertia), inertia[0, 1], inertia[0, 2], inertia[1, 2]])
        theta = log_cholesky(values, 1e-3, 1.0)
        back, slopes = (each.full() for each in standard()(theta))
        np.testing.assert_allclose(back.ravel(), values, rtol=1e-10)
        J = pseudo_inertia(values)
        np.testing.assert_allclose(J[:3, :3], second, rtol=1e-10, atol=1e-12)
        step = 1e-6 * rng.normal(size=10)
        moved = (standard()(theta + step)[0] - standard()(theta - step)[0]).full().ravel()
        np.testing.assert_allclose(moved, 2 * slopes @ step, rtol=1e-6, atol=1e-10)
        assert is_consistent(standard()(2 * rng.normal(size=10))[0].full().ravel())
    assert not is_consistent(np.array([1.0, 0, 0, 0, 1.0, 1.0, 3.0, 0, 0, 0]))
    # A thin rod and a point, whose J is singular, get a little extent.
    for values in ([1.0, 0.5, 0, 0, 0, 1 / 3, 1 / 3, 0, 0, 0], [2.0, *[0.0] * 9]):
        near = standard()(log_cholesky(np.array(values), 1e-3, 1.0))[0].full().ravel()
        np.testing.assert_allclose(near, values, atol=1e-5)


def test_refusals():
    with pytest.raises(ModelError, match="'link' deforms"):
        fb.regressor(measured_arm())
    with pytest.raises(ModelError, match="closed loops"):
        fb.regressor(fb.assemble(FourBar().model()))
    arm = fb.assemble(models.subudhi_morris_2002(modes=0, joints="rigid"))
    with pytest.raises(ParameterError, match="must be of"):
        fb.regressor(arm, "stribeck")
    regressor = fb.regressor(arm)
    with pytest.raises(ParameterError, match=r"q is of shape \(3,\)"):
        regressor(np.zeros(3), np.zeros(2), np.zeros(2))
    t = 0.01 * np.arange(100)
    with pytest.raises(NameUnknownError, match=r"lacks joint2\.angle, motor2\.torque"):
        regressor.fit(fb.Record(t, {"motor1.torque": 0.0}, {"joint1.angle": t}))
    gap = np.where(t > 0.5, np.nan, t)
    with pytest.raises(ParameterError, match=r"gaps in joint2\.angle"):
        regressor.fit(
            fb.Record(t, {"motor1.torque": 0.0, "motor2.torque": 0.0}, {"joint1.angle": t, "joint2.angle": gap})
        )
