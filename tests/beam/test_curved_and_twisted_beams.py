"""Beams that are curved or twisted unloaded, in one block: published bends and blades, closed forms of arcs, laws."""

from __future__ import annotations

import math

import casadi as ca
import numpy as np
import pytest

import flexblocks as fb
from flexblocks import optim
from flexblocks.errors import ParameterError
from oracles.rods import Rod

RADIUS, EI, GJ = 2.0, 50.0, 30.0


def beam_with_load(beam, *, tip_mass=0.0):
    """A clamped beam with a force on its tip, and the DAE."""
    model = fb.Model("beam")
    ground, load = model.add(fb.Ground("ground")), model.add(fb.WorldForce("load"))
    tip = model.add(fb.Payload("tip", mass=tip_mass, inertia=tip_mass * np.eye(3)))
    model.add(beam)
    model.connect(ground.frame_b, beam.frame_a)
    model.connect(beam.frame_b, load.frame_a, tip.frame_a)
    return fb.assemble(model)


def place(point):
    return np.array([point[f"tip.{axis}"] for axis in "xyz"])


def arc(n, angle=math.pi / 2, **options):
    usual = {"bending": "yz", "torsion": True, "torsional_rigidity": GJ, "polar_inertia": 0.02}
    return fb.FlexibleBeam("arc", RADIUS * angle, 0.4, EI, fb.StrainModes(n, curvature=angle), **(usual | options))


def test_a_quarter_arc_gives_as_castigliano_says():
    """Inextensible, under small forces at its end: P R^3 pi/(4 EI) and so on (Timoshenko, Strength of Materials)."""
    dae, P = beam_with_load(arc(4)), 1e-3
    rest = place(fb.equilibrium(dae))
    np.testing.assert_allclose(rest, [RADIUS, RADIUS, 0.0], atol=1e-7)
    give = P * RADIUS**3
    along, up, out = (
        place(fb.equilibrium(dae, u={f"load.force_{axis}": P})) - rest for axis in "xyz"
    )  # fmt: skip
    # The end is tangent to y: a force along x bends by R cos of the angle from the clamp, one along y by R (1 - sin).
    np.testing.assert_allclose(along[0], give / EI * math.pi / 4, rtol=1e-4)
    np.testing.assert_allclose(up[1], give / EI * (3 * math.pi / 4 - 2), rtol=1e-4)
    np.testing.assert_allclose([along[1], up[0]], -give / EI / 2, rtol=1e-4)
    np.testing.assert_allclose(out[2], give * (math.pi / 4 / EI + (3 * math.pi / 4 - 2) / GJ), rtol=1e-4)


BEND = {"axial": True, "axial_rigidity": 1e7, "shear": True, "shear_rigidity": 5e6, "rotary_inertia": True}


def bathe_bolourchi(n):
    """A bend of 45 degrees and 100 in radius of a square section of 1 in, E = 1e7, G = E/2 psi."""
    E = 1e7
    return fb.FlexibleBeam(
        "bend", 100.0 * math.pi / 4, 1.0, E / 12, fb.StrainModes(n, curvature=math.pi / 4), "yz",
        torsion=True, torsional_rigidity=E / 12, polar_inertia=0.2, section_inertia=0.1, **BEND,
    )  # fmt: skip


# Place of the tip (height, along the clamp, out of the plane): Simo & Vu-Quoc 1986, section 5.2, after Bathe &
# Bolourchi 1979, whose 13.4, 23.5 and 53.4 are displacements at 600.
PUBLISHED = {300.0: (22.33, 58.84, 40.08), 450.0: (18.62, 52.32, 48.39), 600.0: (15.79, 47.23, 53.37)}


@pytest.mark.parametrize("force", [600.0, pytest.param(300.0, marks=pytest.mark.slow)])
def test_the_bend_of_45_degrees(force):
    """One block, against the literature, whose eight linear elements are further off than three functions."""
    at = place(fb.equilibrium(beam_with_load(bathe_bolourchi(3), tip_mass=1.0), u={"load.force_z": force}))
    np.testing.assert_allclose(at[[1, 0, 2]], PUBLISHED[force], rtol=0.01)


@pytest.mark.slow
def test_the_bend_converges_to_the_rod():
    rod = Rod(100.0 * math.pi / 4, (0.0, 0.0, 0.01), (1e7 / 12, 1e7 / 12, 1e7 / 12), (1e7, 5e6, 5e6))
    exact = rod.tip([0.0, 0.0, 600.0])
    errors = []
    for n in (2, 3, 4, 5):
        at = place(fb.equilibrium(beam_with_load(bathe_bolourchi(n), tip_mass=1.0), u={"load.force_z": 600.0}))
        errors.append(np.abs(at - exact).max())
    assert errors[0] > 4 * errors[1] > 16 * errors[2]
    assert errors[-1] < 3e-4


def test_the_twisted_beam_of_macneal_and_harder():
    """MacNeal & Harder 1985: 90 degrees over 12 in, 1.1 by 0.32 in; tip displacements 5.424e-3 and 1.754e-3 in."""
    E, nu, width, depth = 29e6, 0.22, 1.1, 0.32
    stiff, soft = E * depth * width**3 / 12, E * width * depth**3 / 12
    beam = fb.FlexibleBeam(
        "beam", 12.0, 1.0, stiff, fb.StrainModes(4, twist=math.pi / 2), "yz", flexural_rigidity_z=soft,
        torsion=True, torsional_rigidity=E / 2 / (1 + nu) * 0.0098, polar_inertia=0.1,
    )  # fmt: skip
    dae = beam_with_load(beam, tip_mass=1.0)
    # At the tip the width, along y at the root, is along z.
    for axis, published in (("z", 5.424e-3), ("y", 1.754e-3)):
        at = fb.equilibrium(dae, u={f"load.force_{axis}": 1.0})
        assert at[f"tip.{axis}"] == pytest.approx(published, rel=0.01)


def blade(n, degrees):
    """The steel blade of Carnegie's experiments: 6 in long, 1 in by 0.068 in, twisted by 45 degrees."""
    length, width, depth, E, density, G, shape = 0.1524, 0.0254, 0.0017272, 206.85e9, 7857.6, 82.74e9, 0.847458
    A, soft, stiff = width * depth, width * depth**3 / 12, depth * width**3 / 12
    torsion = G * width * depth**3 / 3 * (1 - 0.63 * depth / width)
    beam = fb.FlexibleBeam(
        "blade", length, density * A, E * soft, fb.StrainModes(n, twist=math.radians(degrees)), "yz",
        flexural_rigidity_z=E * stiff, torsion=True, torsional_rigidity=torsion, polar_inertia=density * (soft + stiff),
        shear=True, shear_rigidity=shape * G * A, rotary_inertia=True,
        section_inertia=density * soft, section_inertia_z=density * stiff,
    )  # fmt: skip
    rod = Rod(
        length, (math.radians(degrees) / length, 0.0, 0.0), (torsion, E * stiff, E * soft),
        (np.inf, shape * G * A, shape * G * A), density * A,
        (density * (soft + stiff), density * stiff, density * soft),
    )  # fmt: skip
    return beam, rod


def frequencies(dae):
    return np.sort([mode.eigenvalue.imag for mode in fb.linearize(dae).modes() if mode.eigenvalue.imag > 0])


def alone(beam):
    model = fb.Model("blade")
    model.connect(model.add(fb.Ground("ground")).frame_b, model.add(beam).frame_a)
    return fb.assemble(model)


def test_frequencies_of_a_twisted_blade():
    """Of bending: Subrahmanyam, Kulkarni & Rao 1981 (62.0, 305.1, 949.0, 1206.1 Hz); all: the exact transfer matrix."""
    beam, rod = blade(6, 45.0)
    found = frequencies(alone(beam))[:5]
    np.testing.assert_allclose(found, rod.frequencies(5, 20.0), rtol=1e-3)
    np.testing.assert_allclose(found[[0, 1, 3, 4]] / (2 * math.pi), [62.0, 305.1, 949.0, 1206.1], rtol=0.01)


@pytest.mark.slow
def test_frequencies_of_a_quarter_arc():
    """In its plane and out of it, by the exact transfer matrix."""
    beam = arc(5, rotary_inertia=True, section_inertia=0.01, section_inertia_z=0.01)
    rod = Rod(
        beam.length, (0.0, 0.0, 1 / RADIUS), (GJ, EI, EI), density=0.4, inertia=(0.02, 0.01, 0.01)
    )  # fmt: skip
    np.testing.assert_allclose(frequencies(alone(beam))[:4], rod.frequencies(4, 0.2), rtol=2e-3)


SHAPED = (
    fb.StrainModes(2, curvature=1.0, twist=0.5),
    fb.StrainModes(2, curvature=(lambda xi: 2 * xi, -0.4), twist=lambda xi: xi**2),
    fb.StrainModes(1, breaks=(0.5,), twist=-1.0),
)


@pytest.mark.parametrize(
    "discretization", [SHAPED[1], *(pytest.param(SHAPED[k], marks=pytest.mark.slow) for k in (0, 2))], ids=(1, 0, 2)
)
def test_energy_is_conserved(discretization):
    beam = fb.FlexibleBeam(
        "beam", 1.3, 0.4, 20.0, discretization, "yz", flexural_rigidity_z=50.0, torsion=True, torsional_rigidity=9.0,
        polar_inertia=0.02,
    )  # fmt: skip
    dae = beam_with_load(beam, tip_mass=0.3)
    n, x = dae.tree.size, dae.x.symbol
    slope = ca.Function("slope", [x], [ca.gradient(sum(dae.energy(x, dae.p.symbol)[:2]), x)])
    rng = np.random.default_rng(2)
    for _ in range(3):
        at = np.concatenate([rng.uniform(-0.5, 0.5, n), rng.uniform(-1.0, 1.0, n)])
        powers = slope(at).full().ravel() * dae.forward_dynamics(at, np.zeros(3), []).full().ravel()
        assert abs(powers.sum()) < 1e-9 * np.abs(powers).max()


@pytest.mark.slow
def test_a_curved_beam_in_its_plane_is_planar():
    """Its bending is decided as a straight one's, and it moves as the curved beam in space does."""
    flat = beam_with_load(
        arc(2, bending="auto", torsion=False, torsional_rigidity=None, polar_inertia=None), tip_mass=0.2
    )
    solid = beam_with_load(arc(2), tip_mass=0.2)
    assert flat.q_names == ("arc.curvature_y[1]", "arc.curvature_y[2]")
    x0 = {"arc.curvature_y[1]": 0.3, "der(arc.curvature_y[2])": 1.0}
    one, other = (fb.simulate(dae, (0.0, 0.5), {"load.force_x": 2.0}, x0) for dae in (flat, solid))
    np.testing.assert_allclose(one["tip.x"], other["tip.x"], atol=1e-5)


def hinged_arc():
    """An arc on a driven hinge, with a load."""
    model = fb.Model("arm")
    ground, hinge, beam = model.add(fb.Ground("ground")), model.add(fb.Revolute("hinge")), model.add(arc(2))
    motor, load = model.add(fb.TorqueSource("motor")), model.add(fb.Payload("load", mass=1.0, inertia=0.1 * np.eye(3)))
    model.connect(ground.frame_b, hinge.frame_a)
    model.connect(motor.flange_b, hinge.axis)
    model.connect(hinge.frame_b, beam.frame_a)
    model.connect(beam.frame_b, load.frame_a)
    return model


def test_what_is_rigid_keeps_its_shape():
    """Stiffened, as for first guesses of plans, the arc stays an arc; a beam of no functions is one."""
    rigid = fb.assemble(fb.stiffen(hinged_arc()))
    assert rigid.q_names == ("hinge.angle",)
    at = fb.equilibrium(rigid, x={"hinge.angle": 0.0})
    np.testing.assert_allclose([at["load.x"], at["load.y"]], RADIUS, atol=1e-6)
    inertia = 0.4 * RADIUS**3 * (math.pi - 2) + 1.0 * 2 * RADIUS**2 + 0.1
    assert float(rigid.mass_matrix([0.0], [])) == pytest.approx(inertia, rel=1e-5)


@pytest.mark.slow
def test_plans_turn_a_curved_beam():
    turn = optim.RestToRest({"hinge.angle": 0.0}, {"hinge.angle": 0.5}, 3.0)
    plan = optim.plan(fb.assemble(hinged_arc()), turn, intervals=20)
    assert plan.replay().tip_miss < 1e-3


def test_files_keep_the_shape(tmp_path):
    model = fb.Model("arc")
    beam = fb.FlexibleBeam("arc", 1.0, 0.4, 5.0, fb.StrainModes(2, curvature=(0.3, 0.1), twist=0.2), "yz")
    model.connect(model.add(fb.Ground("ground")).frame_b, model.add(beam).frame_a)
    model.save(tmp_path / "arc.yaml")
    assert fb.load(tmp_path / "arc.yaml").blocks == model.blocks


def test_deflections_are_from_the_unloaded_shape():
    at = fb.equilibrium(beam_with_load(arc(2), tip_mass=0.2))
    assert at["arc.tip_deflection_y"] == 0.0
    moved = fb.equilibrium(beam_with_load(arc(2), tip_mass=0.2), u={"load.force_y": 0.5})
    assert moved["arc.tip_deflection_y"] == pytest.approx(moved["tip.y"] - at["tip.y"], rel=1e-9)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"damping_ratio": 0.01}, "damping_ratio, and .* is not straight"),
        ({"stiffening": True}, "strain modes always foreshorten"),
        ({"shear": True, "shear_rigidity": 1e3}, "Take rotary_inertia=True, too"),
    ],
)
def test_options_of_straight_beams_are_refused(options, message):
    with pytest.raises(ParameterError, match=message):
        arc(2, **options)


@pytest.mark.parametrize(
    "options", [{"curvature": "much"}, {"curvature": (0.1, 0.2, 0.3)}, {"twist": math.nan}, {"twist": True}, {}]
)
def test_refusals(options):
    with pytest.raises(ParameterError, match="StrainModes: "):
        fb.StrainModes(0 if not options else 2, **options)
