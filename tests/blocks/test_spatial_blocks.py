"""Blocks for space: bodies, ball joints and fixed transforms against particles, invariants and closed forms."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import flexblocks as fb
from arms.chains import chain, motion, values
from flexblocks.errors import ParameterError

GRAVITY = (0.0, 0.0, -9.81)
X, Y, Z = np.eye(3)


def body_of(name: str, points: np.ndarray, masses: np.ndarray, **more) -> fb.RigidBody:
    """Return the rigid body that particles at `points` (k, 3) make up."""
    center = masses @ points / masses.sum()
    d = points - center
    inertia = sum(m * (e @ e * np.eye(3) - np.outer(e, e)) for m, e in zip(masses, d, strict=True))
    return fb.RigidBody(name, masses.sum(), inertia, center, **more)


def turned(axis: np.ndarray, angle: ca.SX) -> ca.SX:
    """Return the rotation matrix about a unit vector by the exponential series' closed form."""
    K = ca.DM(np.cross(np.eye(3), axis))
    return ca.SX.eye(3) + ca.sin(angle) * K + (1 - ca.cos(angle)) * (K @ K)


class SpatialDoublePendulum:
    """Two bodies of particles on ball joints, by Lagrange's equations of the particles."""

    rng = np.random.default_rng(3)
    points = rng.uniform(-0.3, 0.3, (2, 5, 3)) - np.array([0.0, 0.0, 0.4])
    masses = rng.uniform(0.1, 0.6, (2, 5))
    hook = np.array([0.1, -0.05, -0.7])
    axes = (tuple(Z), tuple(X), tuple(Y))

    @classmethod
    def model(cls) -> fb.Model:
        upper, lower = (body_of(n, p, m) for n, p, m in zip(("upper", "lower"), cls.points, cls.masses, strict=True))
        upper = fb.RigidBody("upper", upper.mass, upper.inertia, upper.center, reach=cls.hook)
        balls = (fb.Gimbal(name, axes=cls.axes) for name in ("shoulder", "elbow"))
        return chain(next(balls), upper, next(balls), lower, gravity=GRAVITY)

    @classmethod
    def lagrange(cls) -> ca.Function:
        """Return the function (q, v) -> M, h, T + V, angular momentum about z."""
        q, v = ca.SX.sym("q", 6), ca.SX.sym("v", 6)
        R, r, T, V, L = ca.SX.eye(3), ca.SX(3, 1), ca.SX(0), ca.SX(0), ca.SX(0)
        for body in range(2):
            for k in range(3):
                R = R @ turned(np.array(cls.axes[k]), q[3 * body + k])
            for point, m in zip(cls.points[body], cls.masses[body], strict=True):
                place = r + R @ ca.DM(point)
                rate = ca.jtimes(place, q, v)
                T += m * ca.dot(rate, rate) / 2
                V -= m * ca.dot(ca.DM(GRAVITY), place)
                L += m * (place[0] * rate[1] - place[1] * rate[0])
            r = r + R @ ca.DM(cls.hook)
        momentum = ca.gradient(T, v)
        h = ca.jtimes(momentum, q, v) - ca.gradient(T - V, q)
        return ca.Function("lagrange", [q, v], [ca.jacobian(momentum, v), h, T + V, L])


def test_spatial_double_pendulum_is_lagranges():
    dae, lagrange = fb.assemble(SpatialDoublePendulum.model()), SpatialDoublePendulum.lagrange()
    assert dae.q_names[:2] == ("shoulder.revolute1.angle", "shoulder.revolute2.angle")
    rng = np.random.default_rng(0)
    for _ in range(5):
        q, v = rng.uniform(-1, 1, 6), rng.uniform(-3, 3, 6)
        M, h, energy, _ = map(values, lagrange(q, v))
        np.testing.assert_allclose(values(dae.mass_matrix(q, [])), M, atol=1e-13)
        np.testing.assert_allclose(values(dae.inverse_dynamics(q, v, 0 * v, [])), h, atol=1e-12)
        assert sum(map(float, dae.energy(np.r_[q, v], []))) == pytest.approx(float(energy), rel=1e-12)


def test_spatial_double_pendulum_keeps_energy_and_angular_momentum_about_the_vertical():
    dae, lagrange = fb.assemble(SpatialDoublePendulum.model()), SpatialDoublePendulum.lagrange()
    x0 = [0.0, 0.5, 0.3, 0.2, -0.4, 0.1, 2.0, 0.0, 1.0, -1.0, 0.5, 3.0]
    run = fb.simulate(dae, (0.0, 3.0), x0=x0)
    found = [lagrange(x[:6], x[6:]) for x in run.x]
    energy, momentum = (np.array([float(f[i]) for f in found]) for i in (2, 3))
    assert np.ptp(run["kinetic_energy"]) > 1
    np.testing.assert_allclose(energy, energy[0], atol=1e-7)
    np.testing.assert_allclose(momentum, momentum[0], atol=1e-7)
    assert abs(momentum[0]) > 0.1


@pytest.mark.parametrize("fast", [False, True])
def test_heavy_top_precesses_steadily_at_the_rate_of_the_closed_form(fast):
    A, C, m, reach, g, tilt, spin = 0.09, 0.02, 1.5, 0.2, 9.81, 0.5, 60.0
    # Steady precession W of a top whose spin about its own axis is w3: A cos(tilt) W^2 - C w3 W + m g l = 0.
    W = np.sort(np.roots([A * np.cos(tilt), -C * spin, m * g * reach]).real)[int(fast)]
    side = A - m * reach**2
    top = fb.RigidBody("top", m, np.diag([side, side, C]), center=(0, 0, reach))
    dae = fb.assemble(chain(fb.Gimbal("ball", axes=(Z, X, Z)), top, gravity=(0, 0, -g)))
    x0 = [0.0, tilt, 0.0, W, 0.0, spin - W * np.cos(tilt)]
    states = motion(dae, x0, np.linspace(0, 1, 20))
    np.testing.assert_allclose(states[1], tilt, atol=1e-8)
    np.testing.assert_allclose(states[3], W, rtol=1e-7)


def test_heavy_top_keeps_its_momenta_while_it_nutates():
    side, C, m, reach, g = 0.03, 0.02, 1.5, 0.2, 9.81
    top = fb.RigidBody("top", m, np.diag([side, side, C]), center=(0, 0, reach))
    dae = fb.assemble(chain(fb.Gimbal("ball", axes=(Z, X, Z)), top, gravity=(0, 0, -g)))
    states = motion(dae, [0.3, 0.6, -0.2, 0.5, 0.3, 40.0], np.linspace(0, 1, 30))
    _, tilt, _, W, _, w = states
    axial = C * (w + W * np.cos(tilt))
    vertical = (side + m * reach**2) * np.sin(tilt) ** 2 * W + axial * np.cos(tilt)
    energy = [sum(map(float, dae.energy(x, []))) for x in states.T]
    assert np.ptp(tilt) > 0.05
    for kept in (axial, vertical, energy):
        np.testing.assert_allclose(kept, kept[0], rtol=1e-9)


def test_a_turned_mount_is_the_body_turned():
    """A body behind a fixed transform is the same body given in the axes before it."""
    turn, shift = Rotation.from_rotvec([0.4, -1.1, 0.7]), np.array([0.2, -0.1, 0.3])
    inertia, center = np.diag([0.3, 0.25, 0.1]), np.array([0.05, 0.1, -0.2])
    joints = (fb.Revolute("a", axis=(0, 1, 1)), fb.Revolute("b", axis=(1, 1, 0)))
    behind = (
        fb.FixedTransform("mount", shift, turn.as_matrix()),
        fb.RigidBody("body", 1.7, inertia, center, reach=(0.1, 0.2, 0.3)),
        fb.LumpedMass("tip", 0.4),
    )
    R = turn.as_matrix()
    before = (
        fb.RigidBody("body", 1.7, R @ inertia @ R.T, shift + R @ center, reach=shift + R @ [0.1, 0.2, 0.3]),
        fb.LumpedMass("tip", 0.4),
    )
    one, other = (fb.assemble(chain(*joints, *parts, gravity=(1, 2, 3))) for parts in (behind, before))
    q, v, a = np.random.default_rng(1).normal(size=(3, 2))
    np.testing.assert_allclose(
        values(one.inverse_dynamics(q, v, a, [])), values(other.inverse_dynamics(q, v, a, [])), rtol=1e-12
    )
    np.testing.assert_allclose(values(one.output([*q, *v], [], [])), values(other.output([*q, *v], [], [])), rtol=1e-12)


def test_right_angles_leave_structural_zeros():
    """An arm in the xy plane costs no more on a base turned by right angles: sin and cos of them are 0 and 1."""

    def count(*base: fb.Block) -> int:
        links = (fb.Revolute("a"), fb.RigidLink("one", 0.5, 1.0), fb.Revolute("b"), fb.RigidLink("two", 0.4, 1.0))
        return fb.assemble(chain(*base, *links, gravity=(0, 0, 0))).mass_matrix.n_instructions()

    assert count(fb.FixedTransform("base", (0, 0, 1), (np.pi / 2, 0, 0))) <= count()


@pytest.mark.parametrize(
    ("rotation", "words"),
    [
        (np.diag([1.0, 1.0, -1.0]), "must be a rotation matrix"),
        (2 * np.eye(3), "must be a rotation matrix"),
        ((0, 1), r"must be an array of shape \(3,\)"),
        ((0, np.nan, 0), "must be finite"),
    ],
)
def test_what_is_no_orientation_is_refused(rotation, words):
    with pytest.raises(ParameterError, match=f"FixedTransform 'mount': rotation = .*{words}"):
        fb.FixedTransform("mount", rotation=rotation)


def test_ball_joints_refuse_axes_without_direction():
    with pytest.raises(ParameterError, match=r"Universal 'cross': axes\[1\] = .*length > 0"):
        fb.Universal("cross", axes=((1, 0, 0), (0, 0, 0)))


def test_a_universal_joint_can_be_driven():
    """Angles of a cross joint under torques, by hand: about x the whole, about y the tool."""
    model = chain(fb.Universal("cross"), fb.RigidBody("tool", 1.0, np.diag([0.1, 0.2, 0.3])), gravity=(0, 0, 0))
    for number in (1, 2):
        motor = model.add(fb.TorqueSource(f"motor{number}"))
        model.connect(motor.flange_b, f"cross.axis{number}")
    rates = values(fb.assemble(model).forward_dynamics([0, 0.5, 0, 0], [0.3, 0.4], []))
    about_x = 0.1 * np.cos(0.5) ** 2 + 0.3 * np.sin(0.5) ** 2
    np.testing.assert_allclose(rates[2:], [0.3 / about_x, 0.4 / 0.2], rtol=1e-13)
