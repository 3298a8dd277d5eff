"""Blocks of the library against closed forms."""

from __future__ import annotations

import numpy as np
import pytest

import flexblocks as fb
from arms.chains import G, chain, motion, values


def test_pendulum():
    rod = fb.RigidLink("rod", length=2.0, mass=3.0)
    dae = fb.assemble(chain(fb.Revolute("hinge", damping=0.4), rod))
    assert float(dae.mass_matrix([0.3], [])) == pytest.approx(3.0 * 2.0**2 / 3, rel=1e-14)
    force = float(dae.inverse_dynamics([0.3], [0.5], [0.0], []))
    assert force == pytest.approx(3.0 * G * np.cos(0.3) + 0.4 * 0.5, rel=1e-14)


def test_two_links_by_the_textbook():
    m1, m2, l1, l2, c1, c2, i1, i2 = 1.3, 0.7, 0.8, 0.6, 0.3, 0.25, 0.02, 0.05
    arm = chain(
        fb.Revolute("a"),
        fb.RigidLink("one", l1, m1, inertia=i1, center=c1),
        fb.Revolute("b"),
        fb.RigidLink("two", l2, m2, inertia=i2, center=c2),
    )
    dae = fb.assemble(arm)
    a, b, da, db = 0.4, -0.9, 1.5, -2.0
    far = i2 + m2 * c2**2
    cross = m2 * l1 * c2
    M = [
        [i1 + m1 * c1**2 + m2 * l1**2 + far + 2 * cross * np.cos(b), far + cross * np.cos(b)],
        [far + cross * np.cos(b), far],
    ]
    weight = m2 * G * c2 * np.cos(a + b)
    h = [
        -cross * np.sin(b) * (2 * da * db + db**2) + (m1 * c1 + m2 * l1) * G * np.cos(a) + weight,
        cross * np.sin(b) * da**2 + weight,
    ]
    np.testing.assert_allclose(values(dae.mass_matrix([a, b], [])), M, rtol=1e-13)
    np.testing.assert_allclose(values(dae.inverse_dynamics([a, b], [da, db], [0, 0], [])), h, rtol=1e-13)


def test_slide_that_turns():
    arm = chain(fb.Revolute("turn"), fb.Prismatic("slide", axis=(2, 0, 0), damping=0.5), fb.LumpedMass("m", 1.5))
    force = arm.add(fb.ForceSource("force"))
    arm.connect(force.flange_b, "slide.axis")
    dae = fb.assemble(arm)
    q, v, a = [0.3, 0.8], [1.2, -0.4], [0.7, 0.9]
    assert dae.q_names == ("turn.angle", "slide.displacement")
    assert dae.x.units == ("rad", "m", "rad/s", "m/s")
    torque = 1.5 * (0.8**2 * 0.7 + 2 * 0.8 * -0.4 * 1.2 + G * 0.8 * np.cos(0.3))
    push = 1.5 * (0.9 - 0.8 * 1.2**2 + G * np.sin(0.3)) + 0.5 * -0.4
    np.testing.assert_allclose(values(dae.inverse_dynamics(q, v, a, [])), [torque, push], rtol=1e-13)
    np.testing.assert_allclose(values(dae.input_force([*q, *v], [2.5], [])), [0.0, 2.5], rtol=1e-15)


def test_symmetric_top():
    i1, i3, m, reach, g = 0.3, 0.1, 2.0, 0.4, 9.0
    top = fb.Payload("top", m, np.diag([i1, i1, i3]), center=(0, 0, reach))
    joints = (fb.Revolute("precession"), fb.Revolute("nutation", axis=(1, 0, 0)), fb.Revolute("spin"))
    dae = fb.assemble(chain(*joints, top, gravity=(0, 0, -g)))
    q, v = np.array([0.4, 0.7, -1.1]), np.array([1.5, -0.3, 20.0])
    side, s, c = i1 + m * reach**2, np.sin(q[1]), np.cos(q[1])
    M = [[side * s**2 + i3 * c**2, 0, i3 * c], [0, side, 0], [i3 * c, 0, i3]]
    np.testing.assert_allclose(values(dae.mass_matrix(q, [])), M, atol=1e-14)
    h = [
        2 * (side - i3) * s * c * v[0] * v[1] - i3 * s * v[1] * v[2],
        -(side - i3) * s * c * v[0] ** 2 + i3 * s * v[0] * v[2] - m * g * reach * s,
        -i3 * s * v[0] * v[1],
    ]
    np.testing.assert_allclose(values(dae.inverse_dynamics(q, v, 0 * v, [])), h, rtol=1e-12)
    kinetic, potential = dae.energy(np.r_[q, v], [])
    assert float(kinetic) == pytest.approx(
        (side * (v[1] ** 2 + (v[0] * s) ** 2) + i3 * (v[2] + v[0] * c) ** 2) / 2, rel=1e-13
    )
    assert float(potential) == pytest.approx(m * g * reach * c, rel=1e-13)
    # The momenta about the vertical and about the top's own axis are kept while it nutates.
    states = motion(dae, [*q, *v], np.linspace(0, 1, 50))
    momenta = np.array([values(dae.mass_matrix(x[:3], [])) @ x[3:] for x in states.T])
    assert np.ptp(states[1]) > 0.05
    np.testing.assert_allclose(momenta[:, [0, 2]], np.tile(momenta[0, [0, 2]], (50, 1)), rtol=1e-9)


@pytest.mark.parametrize("mounted", [False, True])
def test_rotor_with_and_without_the_spin_of_its_mount(mounted):
    J, n = 0.02, 3.0
    arm = chain(
        fb.Revolute("base"), fb.RigidLink("link", 0.5, 1.0), fb.Revolute("elbow"), fb.RigidLink("rod", 0.4, 0.6)
    )
    rotor = arm.add(fb.Rotor("rotor", inertia=J, gear_ratio=n))
    arm.connect(rotor.flange_b, "elbow.axis")
    if mounted:
        arm.connect("link.frame_b", rotor.frame_a)
    bare = fb.assemble(chain(*(arm[name] for name in ("base", "link", "elbow", "rod"))))
    gain = values(fb.assemble(arm).mass_matrix([0.1, 0.2], [])) - values(bare.mass_matrix([0.1, 0.2], []))
    spin = np.array([float(mounted), n])
    np.testing.assert_allclose(gain, J * np.outer(spin, spin), atol=1e-15)


def test_rotor_across_its_mount_makes_a_gyroscopic_torque():
    J, wheel_rate, turn_rate = 0.05, 100.0, 0.7
    arm = chain(fb.Revolute("yaw"), fb.Revolute("roll", axis=(1, 0, 0)), fb.Payload("case", 1.0, np.eye(3)))
    rotor = arm.add(fb.Rotor("rotor", inertia=J, axis=(0, 1, 0)))
    arm.connect("roll.frame_b", rotor.frame_a)
    dae = fb.assemble(arm)
    assert dae.q_names == ("yaw.angle", "roll.angle", "rotor.angle")
    torque = values(dae.inverse_dynamics([0, 0, 0], [turn_rate, 0, wheel_rate], [0, 0, 0], []))
    # Turning the axis y about z tips it about x: the roll joint must supply d/dt (J w e_y) = -J w W e_x.
    np.testing.assert_allclose(torque, [0.0, -J * wheel_rate * turn_rate, 0.0], atol=1e-13)


def test_inertia_of_a_payload_in_space():
    inertia = np.array([[0.3, 0.02, -0.01], [0.02, 0.25, 0.03], [-0.01, 0.03, 0.2]])
    center, m = np.array([0.1, -0.2, 0.3]), 1.7
    axis = np.array([1.0, 2.0, 2.0]) / 3
    dae = fb.assemble(chain(fb.Revolute("hinge", axis=axis), fb.Payload("load", m, inertia, center)))
    arm = np.cross(axis, center)
    assert float(dae.mass_matrix([0.4], [])) == pytest.approx(axis @ inertia @ axis + m * arm @ arm, rel=1e-13)


def test_a_rigid_beam_is_a_rod():
    beam = fb.FlexibleBeam("link", 0.7, 2.0, 1.0, fb.Rigid())
    rod = fb.RigidLink("link", 0.7, 1.4)
    joints = (fb.Revolute("a", axis=(0, 1, 1)), fb.Revolute("b", axis=(1, 1, 0)))
    load = fb.Payload("load", 0.3, 0.1 * np.eye(3))
    one, other = (fb.assemble(chain(*joints, link, load, gravity=(1, 2, 3))) for link in (beam, rod))
    q, v, a = np.random.default_rng(0).normal(size=(3, 2))
    expected = values(other.inverse_dynamics(q, v, a, []))
    np.testing.assert_allclose(values(one.inverse_dynamics(q, v, a, [])), expected, rtol=1e-12)


def test_lumped_mass_on_a_station():
    arm = chain(fb.Revolute("hinge"), fb.RigidLink("link", 1.0))
    mass = arm.add(fb.LumpedMass("mass", 2.0))
    arm.connect(arm["link"].station(0.3), mass.frame_a)
    dae = fb.assemble(arm)
    assert float(dae.mass_matrix([0.2], [])) == pytest.approx(2.0 * 0.09, rel=1e-14)
    y = dict(zip(dae.y.names, values(dae.output([0.2, 0], [], [])), strict=True))
    assert (y["mass.x"], y["mass.y"]) == pytest.approx((0.3 * np.cos(0.2), 0.3 * np.sin(0.2)))
