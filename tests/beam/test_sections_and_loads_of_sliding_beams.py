"""What a sliding beam shares with one that does not slide: sections and materials, loads, forces inside."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest

import flexblocks as fb
from flexblocks.beam.section_properties import FORMULAS
from flexblocks.errors import ParameterError

LENGTH, DENSITY, RIGIDITY, OUT = 1.3, 0.6, 8.0, 0.7
BOX, STEEL = fb.Rectangle(width=0.02, height=0.004), fb.Material(7800.0, 2e11, poissons_ratio=0.3)
KINDS = [
    ("fixed", fb.AssumedModes(3, tip="auto")),
    ("algebraic", fb.AssumedModes(1, tip="auto")),
    ("ode", fb.AssumedModes(2, tip="auto")),
    ("fixed", fb.FiniteElements(2)),
]


def from_the_wall(beam: fb.Block, load: float = 0.0, gravity=(0.0, 0.0, 0.0), *between: fb.Block) -> fb.Model:
    """A beam out of a hub that stands still, or that blocks in between move, with a body at its tip."""
    model = fb.Model("slide", gravity)
    place = model.add(fb.Ground("ground")).frame_b
    for block in (*between, beam):
        model.connect(place, model.add(block).frame_a)
        place = block.frame_b
    body = fb.Payload("load", load, np.diag([2e-3, 3e-3, 4e-3]) * load, center=(0.02, 0.01, -0.01))
    if load:
        model.connect(place, model.add(body).frame_a)
    return model


def sliding(discretization=None, bending="y", start=OUT, **options) -> fb.SlidingBeam:
    if "section" not in options:
        options = {"linear_density": DENSITY, "flexural_rigidity": RIGIDITY} | options
    discretization = fb.FiniteElements(1) if discretization is None else discretization
    return fb.SlidingBeam("beam", LENGTH, discretization=discretization, bending=bending, start=start, **options)


def state(dae: fb.DAE, seed: int, size: float = 0.03) -> np.ndarray:
    """Return a state in motion, with the beam well out of its hub; roots of modes stay as they are at the start."""
    rng, n = np.random.default_rng(seed), dae.tree.size
    x = np.concatenate([size * rng.normal(size=n), rng.normal(size=n), dae.x.start[2 * n :]])
    x[dae.x.index("beam.displacement")] = OUT
    return x


def outputs(dae: fb.DAE, x: np.ndarray, u=None, z=None) -> dict[str, float]:
    more = [dae.z.start] if len(dae.z) else []
    u = np.zeros(len(dae.u)) if u is None else u
    return dict(zip(dae.y.names, dae.output(x, u, [], *more).full().ravel(), strict=True))


def rates(dae: fb.DAE, x: np.ndarray, u=None) -> np.ndarray:
    more = [dae.z.start] if len(dae.z) else []
    u = np.zeros(len(dae.u)) if u is None else u
    return dae.forward_dynamics(x, u, [], *more).full().ravel()


@pytest.mark.parametrize(
    ("shapes", "discretization"), [("fixed", fb.FiniteElements(1)), ("ode", fb.AssumedModes(1, tip="auto"))]
)
def test_a_section_and_its_material_give_the_numbers(shapes, discretization):
    options = {"torsion": True, "shear": True, "damping_ratio": 0.01, "shapes": shapes}
    names = set(FORMULAS) - {"axial_rigidity", "section_inertia", "section_inertia_z"}
    numbers = {name: FORMULAS[name](BOX, STEEL) for name in names}
    daes = [
        fb.assemble(from_the_wall(sliding(discretization, "z", **options, **made), 0.4, (1.0, -9.81, 2.0)))
        for made in ({"section": BOX, "material": STEEL}, numbers)
    ]
    x = state(daes[0], 1, 1e-3)
    np.testing.assert_allclose(*(rates(dae, x) for dae in daes), rtol=1e-12)


def test_a_section_is_kept_in_files_and_drawn_by_its_plot(tmp_path):
    model = from_the_wall(sliding(section=BOX, material=STEEL, load_y="input", internal_forces=(0, 0.5)), 0.4)
    model.save(tmp_path / "arm.yaml")
    assert fb.load(tmp_path / "arm.yaml").blocks == model.blocks


TABLE = ((0.0, BOX), (LENGTH, BOX))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"section": TABLE, "material": STEEL}, r"section = .*the same all along this beam, which is uniform"),
        ({"section": lambda x: BOX, "material": STEEL}, r"section = .*must be a section, .*which is uniform"),
        ({"section": BOX}, r"section = .*material = None; must be given together"),
        ({"section": BOX, "material": STEEL, "linear_density": 1.0}, r"section and linear_density are both specified"),
        ({"load_y": lambda x: 2.0}, r"load_y = .*must be a number in N/m, or 'input', the same all along"),
        ({"load_z": ((0.0, 1.0), (LENGTH, 2.0))}, r"load_z = .*must be a number in N/m, or 'input'"),
        ({"load_z": "inputs"}, r"load_z = 'inputs'; must be a number in N/m, or 'input'"),
        ({"linear_density": None}, r"linear_density not given; needs linear_density and flexural_rigidity, or section"),
        ({"internal_forces": (0.5, 1.2)}, r"internal_forces = \(0.5, 1.2\); must be places x/l on the part outside"),
        ({"internal_forces": (0.5, 0.5)}, r"must be distinct places"),
        ({"largest_stress": True}, r"largest_stress = True without a section"),
        (
            {"internal_forces": (0.5,), "shapes": "ode", "discretization": fb.AssumedModes(2)},
            r"known at the mouth of the hub alone: take internal_forces=\(0,\)",
        ),
        ({"internal_forces": (0, 0.5), "shear": True, "shear_rigidity": 1e3}, r"known at the mouth of the hub alone"),
    ],
)
def test_what_is_not_uniform_or_not_known_is_refused(options, message):
    with pytest.raises(ParameterError, match=rf"SlidingBeam 'beam': .*{message}"):
        sliding(**options)


@pytest.mark.parametrize(("shapes", "discretization"), KINDS)
def test_a_cantilever_under_its_load_at_rest(shapes, discretization):
    """Closed forms at the present extension: root moment q l^2/2, shear q l, tip q l^4/(8 EI), stress M/W."""
    q = 3.0
    EI, W = FORMULAS["flexural_rigidity"](BOX, STEEL), 0.02 * 0.004**2 / 6
    beam = sliding(
        discretization, section=BOX, material=STEEL, load_y="input", shapes=shapes, internal_forces=(0,), start=0.6
    )
    dae = fb.assemble(from_the_wall(beam), locked={"beam.displacement": OUT})
    rest = fb.equilibrium(dae, u={"beam.load_y": q})
    assert rest["beam.root_moment_y"] == pytest.approx(q * OUT**2 / 2, rel=1e-3)
    assert rest["beam.root_shear_y"] == pytest.approx(q * OUT, rel=1e-3)
    assert rest["beam.root_stress"] == pytest.approx(q * OUT**2 / 2 / W, rel=1e-3)
    assert rest["beam.tip_deflection_y"] == pytest.approx(q * OUT**4 / (8 * EI), rel=2e-2)


@pytest.mark.parametrize("torsion", [False, True])
def test_at_rest_in_its_hub_it_is_a_flexible_beam_of_the_length_outside(torsion):
    """Forces inside, in any motion of the hub, at the mouth and along the beam, and the largest stress."""
    same = {"discretization": fb.FiniteElements(1), "bending": "yz", "section": BOX, "material": STEEL}
    same |= {"load_y": 2.0, "load_z": -3.0, "torsion": torsion, "largest_stress": 2}
    moving = (
        fb.Prismatic("lift", axis=(0, 1, 0)),
        fb.Gimbal("hub", axes=((0, 0, 1), (0, 1, 0), (1, 0, 0))),
        fb.RigidBody("frame", 2.0, np.diag([0.1, 0.2, 0.3])),
    )
    still = fb.FlexibleBeam("beam", OUT, internal_forces=(0, OUT / 2, OUT), **same)
    slides = fb.SlidingBeam("beam", LENGTH, internal_forces=(0, 0.5, 1), start=OUT, **same)
    daes = [
        fb.assemble(from_the_wall(beam, 0.4, (1.0, -9.81, 2.0), *moving), locked=locked)
        for beam, locked in ((still, {}), (slides, {"beam.displacement": OUT}))
    ]
    names = ["moment_y", "moment_z", "shear_y", "shear_z", "tension", "stress", *["torque"] * torsion]
    rng = np.random.default_rng(3)
    q, v = 0.01 * rng.normal(size=daes[0].tree.size), rng.normal(size=daes[0].tree.size)
    x = np.concatenate([q, v])
    # The part in the hub is another body; prescribed, the hub moves alike.
    moved = [fb.assemble(dae.model, locked=dae.locked, prescribed=HUB) for dae in daes]
    u = dict(zip(moved[0].u.names, rng.normal(size=len(moved[0].u)), strict=True))
    found = []
    for dae in moved:
        point = dict(zip(daes[0].x.names, x, strict=True))
        here = dae.x.values({name: value for name, value in point.items() if name in dae.x.names})
        values = [u.get(name, 0.0) for name in dae.u.names]
        found.append(outputs(dae, here, values))
    for prefix, other in (
        ("root_", "root_"),
        (f"station({OUT / 2!r}).", "fraction(0.5)."),
        (f"station({OUT!r}).", "fraction(1.0)."),
    ):
        for name in names:
            expected = found[0][f"beam.{prefix}{name}"]
            assert found[1][f"beam.{other}{name}"] == pytest.approx(expected, rel=1e-9, abs=1e-9), (prefix, name)
    assert found[1]["beam.largest_stress"] == pytest.approx(found[0]["beam.largest_stress"], rel=1e-9)


HUB = ("lift.displacement", "hub.revolute1.angle", "hub.revolute2.angle", "hub.revolute3.angle")


class Points:
    """A beam of one element that slides out of a hub, as points in the world: twice the derivative in time.

    The hub is lifted along y and turned about z. `phi` is 12 EI/(kappa G A l^2), by the extension l.
    """

    def __init__(self, dae: fb.DAE, x: np.ndarray, acceleration: np.ndarray, shear_rigidity: float = np.inf) -> None:
        t = self.t = ca.SX.sym("t")
        n = dae.tree.size
        moving = x[:n] + x[n : 2 * n] * t + acceleration * t**2 / 2
        q = {name: moving[i] for i, name in enumerate(dae.q_names)}
        self.lift, self.turn = q.get("lift.displacement", 0), q.get("hub.angle", 0)
        self.out, self.d, self.slope = q["beam.displacement"], q["beam.deflection_y[1]"], q["beam.slope_y[1]"]
        self.phi = 12 * RIGIDITY / (shear_rigidity * self.out**2) if np.isfinite(shear_rigidity) else 0.0

    def deflection(self, xi: ca.SX) -> ca.SX:
        """Of the section at xi = x/l, by the functions of a (Timoshenko) element."""
        of_d = 3 * xi**2 - 2 * xi**3 + self.phi * xi
        of_slope = xi**3 - xi**2 + self.phi * (xi**2 - xi) / 2
        return (of_d * self.d + of_slope * self.out * self.slope) / (1 + self.phi)

    def particle(self, from_tip: float) -> ca.SX:
        """Where the particle at a distance from the tip is in the world."""
        xi = 1 - from_tip / self.out
        return self.in_world(ca.vertcat(xi * self.out, self.deflection(xi)))

    def in_world(self, place: ca.SX) -> ca.SX:
        return ca.vertcat(0, self.lift) + turned_by(self.turn) @ place

    def accelerations(self, places: list[ca.SX]) -> np.ndarray:
        """Return the second derivatives in time (k, 2) of places in the world."""
        stacked = ca.horzcat(*places)
        twice = ca.jacobian(ca.jacobian(ca.vec(stacked), self.t), self.t)
        return self.now(ca.reshape(twice, *stacked.shape)).T

    def now(self, expression: ca.SX) -> np.ndarray:
        return ca.Function("now", [self.t], [expression])(0.0).full()


def turned_by(angle: ca.SX) -> ca.SX:
    return ca.blockcat([[ca.cos(angle), -ca.sin(angle)], [ca.sin(angle), ca.cos(angle)]])


@pytest.mark.parametrize(
    ("xi", "shear"),
    [(0.0, np.inf), (0.4, np.inf), (1.0, np.inf), (0.0, 60.0)],
    ids=["mouth", "inside", "tip", "shears"],
)
def test_forces_inside_are_those_that_accelerate_the_points_outboard(xi, shear):
    """While the beam slides out of a hub that is lifted and turned, under weight and a load."""
    gravity, load, q = (1.5, -9.81, 0.0), 0.4, 2.5
    options = {"shear": True, "shear_rigidity": shear} if np.isfinite(shear) else {}
    hub = (fb.Prismatic("lift", axis=(0, 1, 0)), fb.Revolute("hub"))
    beam = sliding(internal_forces=(xi,), load_y=q, **options)
    dae = fb.assemble(from_the_wall(beam, load, gravity, *hub))
    x, n = state(dae, 5, 0.05), dae.tree.size
    found, a = outputs(dae, x), rates(dae, x)[n : 2 * n]
    points = Points(dae, x, a, shear)
    # Points of the beam outboard of the cut.
    nodes, weights = np.polynomial.legendre.leggauss(12)
    size = (1 - xi) * OUT
    places = [points.particle(size * (1 + node) / 2) for node in nodes]
    masses = DENSITY * size / 2 * weights
    # The body at the tip: its mass and its turning.
    slope = points.slope + points.turn
    tip = points.particle(0.0)
    places.append(tip + turned_by(slope) @ np.array([0.02, 0.01]))
    masses = np.append(masses, load)
    forces = masses[:, None] * (points.accelerations(places) - np.array(gravity[:2]))
    R = points.now(turned_by(points.turn))
    forces[:-1] -= (q * size / 2 * weights)[:, None] * R[:, 1]
    spin = load * 4e-3 * points.now(ca.jacobian(ca.jacobian(slope, points.t), points.t)).item()
    # About the section at the cut, in its axes.
    at = points.now(points.in_world(ca.vertcat(xi * points.out, points.deflection(ca.SX(xi))))).ravel()
    angle = points.turn
    if xi:
        s = ca.SX.sym("s")
        slope_at = ca.substitute(ca.jacobian(points.deflection(s), s), s, xi) / points.out
        angle = angle + slope_at
    axes = points.now(turned_by(angle))
    arms = np.array([points.now(place).ravel() for place in places]) - at
    total = axes.T @ forces.sum(0)
    moment = spin + (arms[:, 0] * forces[:, 1] - arms[:, 1] * forces[:, 0]).sum()
    label = f"fraction({xi!r})." if xi else "root_"
    assert found[f"beam.{label}tension"] == pytest.approx(-total[0], rel=1e-9)
    assert found[f"beam.{label}shear_y"] == pytest.approx(-total[1], rel=1e-9)
    assert found[f"beam.{label}moment_y"] == pytest.approx(-moment, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("xi", [0.0, 0.4])
def test_torque_inside_is_what_turns_the_sections_outboard(xi):
    polar = 0.03
    beam = sliding(torsion=True, torsional_rigidity=3.0, polar_inertia=polar, internal_forces=(xi,))
    model = from_the_wall(beam)
    model.connect(beam.frame_b, model.add(fb.RigidBody("flywheel", 1e-9, np.diag([0.02, 0.01, 0.01]))).frame_a)
    dae = fb.assemble(model)
    x, n = state(dae, 2), dae.tree.size
    x[[i for i, name in enumerate(dae.x.names) if "_y" in name]] = 0.0
    found, a = outputs(dae, x), dict(zip(dae.q_names, rates(dae, x)[n : 2 * n], strict=True))
    value = dict(zip(dae.x.names, x, strict=True))
    t, s = ca.SX.sym("t"), ca.SX.sym("s")
    out, turn = (
        value[name] + value[f"der({name})"] * t + a[name] * t**2 / 2
        for name in ("beam.displacement", "beam.torsion[1]")
    )
    twist = (1 - s / out) * turn  # of the section at a distance s from the tip
    twice = ca.Function("twice", [s, t], [ca.jacobian(ca.jacobian(twist, t), t)])
    nodes, weights = np.polynomial.legendre.leggauss(4)
    size = (1 - xi) * OUT
    turning = sum(
        w * polar * size / 2 * twice(size * (1 + node) / 2, 0.0) for node, w in zip(nodes, weights, strict=True)
    )
    turning += 0.02 * twice(0.0, 0.0)
    label = f"fraction({xi!r})." if xi else "root_"
    assert found[f"beam.{label}torque"] == pytest.approx(-float(turning), rel=1e-6)


@pytest.mark.parametrize(("shapes", "discretization"), KINDS)
def test_forces_at_the_mouth_are_those_on_the_hub_that_stands_still(shapes, discretization):
    """A sensor behind the hub feels them, and the weight of the part inside; while the beam slides."""
    beam = sliding(discretization, "yz", shapes=shapes, internal_forces=(0,), load_y="input", load_z=1.5)
    dae = fb.assemble(from_the_wall(beam, 0.4, (0.0, -9.81, 2.0), fb.ForceSensor("wall")))
    x = state(dae, 4)
    found = outputs(dae, x, [3.0])
    inside, lever = DENSITY * (LENGTH - OUT), -(LENGTH - OUT) / 2
    assert found["wall.force_y"] == pytest.approx(found["beam.root_shear_y"] - 9.81 * inside, rel=1e-9)
    assert found["wall.force_z"] == pytest.approx(found["beam.root_shear_z"] + 2.0 * inside, rel=1e-9)
    assert found["wall.torque_z"] == pytest.approx(found["beam.root_moment_y"] - 9.81 * inside * lever, rel=1e-9)
    assert found["wall.torque_y"] == pytest.approx(-found["beam.root_moment_z"] - 2.0 * inside * lever, rel=1e-9)


@pytest.mark.parametrize(("shapes", "discretization"), KINDS)
def test_a_load_does_the_work_of_weight_while_the_beam_slides(shapes, discretization):
    """Out of a hub that stands still, a load of the beam's weight per length is its weight but along the slide."""
    load, more = {"load_y": -9.81 * DENSITY, "load_z": 2.0 * DENSITY}, {"shear": True, "shear_rigidity": 300.0}
    heavy = fb.assemble(from_the_wall(sliding(discretization, "yz", shapes=shapes, **more), 0.0, (0.0, -9.81, 2.0)))
    loaded = fb.assemble(from_the_wall(sliding(discretization, "yz", shapes=shapes, **load, **more)))
    x = state(heavy, 7)
    np.testing.assert_allclose(rates(loaded, x), rates(heavy, x), rtol=1e-9, atol=1e-9)


def test_energy_is_what_a_load_does_on_the_particles():
    """Each goes from the mouth, where it does not deflect, to where it is: q times the area under the beam."""
    q = 4.0
    beam = sliding(load_y="input", damping=0.0)
    dae = fb.assemble(from_the_wall(beam))
    start = {"der(beam.displacement)": 0.5, "beam.deflection_y[1]": 0.0}
    run = fb.simulate(dae, np.linspace(0.0, 0.6, 13), {"beam.load_y": q}, start, rtol=1e-10, atol=1e-12)
    out, d, slope = (run[f"beam.{name}"] for name in ("displacement", "deflection_y[1]", "slope_y[1]"))
    area = out * (d / 2 - out * slope / 12)
    energy = run["kinetic_energy"] + run["potential_energy"]
    np.testing.assert_allclose(run["work"], q * (area - area[0]), atol=1e-8)
    np.testing.assert_allclose(energy - energy[0], q * (area - area[0]), atol=1e-8)
    assert np.ptp(out) > 0.2


def test_a_load_turns_with_its_hub():
    """On a rigid beam: its moment about the hub, whatever the posture."""
    beam = sliding(fb.Rigid(), load_y=3.0)
    dae = fb.assemble(from_the_wall(beam, 0.4, (0.0, 0.0, 0.0), fb.Revolute("hub")), locked={"beam.displacement": OUT})
    torque = -dae.inverse_dynamics([0.8], [0.0], [0.0], []).full().item()
    assert torque == pytest.approx(0.0, abs=1e-12)
    acceleration = rates(dae, np.array([0.8, 0.0]))[1]
    M = dae.mass_matrix([0.8], []).full().item()
    assert M * acceleration == pytest.approx(3.0 * OUT**2 / 2, rel=1e-12)
