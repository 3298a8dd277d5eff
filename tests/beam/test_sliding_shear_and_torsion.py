"""Sliding beams that shear and twist: closed forms, clamped beams, particles that are followed, conservation."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import eigh, eigvals

import flexblocks as fb
from flexblocks.beam.properties.beam_profiles import BeamProfiles, RelativeProfile
from flexblocks.beam.properties.quadrature import gauss_legendre
from flexblocks.beam.properties.tip_body import TipBody
from flexblocks.beam.shapes.euler_bernoulli_modes import clamped_modes
from flexblocks.beam.shapes.hermite import ShearHermiteShapes
from flexblocks.beam.shapes.ritz_modes import ritz_modes, rod_modes
from flexblocks.dae.dae import DAE

LENGTH, DENSITY, START = 1.3, 0.331, 0.5
EI, GA, GJ, POLAR = 5.0, 90.0, 2.0, 3e-3  # soft in shear: 0.22 of the deflection by bending at the start
NUMBERS = {
    "shear": True, "shear_rigidity": GA, "torsion": True, "torsional_rigidity": GJ, "polar_inertia": POLAR,
}  # fmt: skip
LOAD, ABOUT = 0.2, (0.004, 0.012, 0.012)
ELEMENTS, MODES = fb.FiniteElements(2), fb.AssumedModes(2, tip=fb.TipBody(LOAD, ABOUT[1], polar_inertia=ABOUT[0]))
# The discretization, and how its shapes follow the extension.
Kind = tuple[fb.Discretization, str]
FIXED, FOLLOWING, BY_ELEMENTS = (MODES, "fixed"), (MODES, "ode"), (ELEMENTS, "fixed")
KINDS = pytest.mark.parametrize(
    "kind",
    [BY_ELEMENTS, *(pytest.param(kind, marks=pytest.mark.slow) for kind in (FIXED, FOLLOWING))],
    ids=["elements", "modes", "following"],
)
AXIS = np.array([0.48, 0.6, 0.64])


def sliding(kind: fb.Discretization, base: fb.Block | None = None, gravity: float = 0.0, **options) -> fb.Model:
    """A beam through a hub at the ground, or at a base; with a body at its tip, and a push on the slide."""
    model = fb.Model("slide", gravity=(0.0, -gravity, 0.0))
    center, carried = options.pop("center", (0.0, 0.0, 0.0)), options.pop("load", LOAD)
    options = {"bending": "yz", "start": START} | NUMBERS | options
    ground = model.add(fb.Ground("ground"))
    beam = model.add(fb.SlidingBeam("beam", LENGTH, DENSITY, EI, kind, **options))
    if base:
        model.connect(ground.frame_b, model.add(base).frame_a)
    model.connect((base or ground).frame_b, beam.frame_a)
    model.connect(model.add(fb.ForceSource("push")).flange_b, beam.axis)
    if carried:
        load = model.add(fb.Payload("load", carried, np.diag(ABOUT), center=center))
        model.connect(beam.frame_b, load.frame_a)
    return model


def test_it_bends_and_twists_under_a_load_as_a_cantilever() -> None:
    """P l^3/3EI + P l/kGA and mu g l^4/8EI + mu g l^2/2kGA; m g e l/GJ, at any extension by two elements."""
    aside, weight = 0.05, 1e-3
    dae = fb.assemble(sliding(ELEMENTS, gravity=weight, bending="y", center=(0.0, 0.0, aside)))
    for out in (0.2, 0.5, 1.2):
        op = fb.equilibrium(dae, {"beam.displacement": out})
        y = op.x[dae.x.index("beam.deflection_y[2]")]
        by_load, by_weight = out**3 / (3 * EI) + out / GA, out**4 / (8 * EI) + out**2 / (2 * GA)
        assert y == pytest.approx(-weight * (LOAD * by_load + DENSITY * by_weight), rel=1e-6)
        # A weight at +z turns the tip about +x.
        assert op.x[dae.x.index("beam.torsion[2]")] == pytest.approx(weight * LOAD * aside * out / GJ, rel=1e-6)
        tip = dae.output(op.x, op.u, []).full().ravel()[dae.y.index("beam.tip_deflection_y")]
        assert tip == pytest.approx(y, rel=1e-12)


@pytest.mark.slow
def test_an_ideal_hub_is_pushed_out_by_twist_and_shear() -> None:
    """What holds the slide is M^2/2EI + Q^2/2kGA + T^2/2GJ at the mouth of the hub (Bigoni and others 2014)."""
    aside, weight, out = 0.05, 1e-2, 0.8
    dae = fb.assemble(sliding(ELEMENTS, gravity=weight, bending="y", center=(0.0, 0.0, aside)))
    op = fb.equilibrium(dae, {"beam.displacement": out})
    P, total = LOAD * weight, (LOAD + DENSITY * out) * weight
    moment = P * out + DENSITY * weight * out**2 / 2
    energy = moment**2 / (2 * EI) + total**2 / (2 * GA) + (P * aside) ** 2 / (2 * GJ)
    # Of elements the forces at the mouth are means over the first one: of few more they are those of the hub.
    finer = fb.assemble(sliding(fb.FiniteElements(12), gravity=weight, bending="y", center=(0.0, 0.0, aside)))
    held = [-at.u[0] for at in (op, fb.equilibrium(finer, {"beam.displacement": out}))]
    assert held[1] == pytest.approx(energy, rel=2e-2)
    assert abs(held[1] - energy) < abs(held[0] - energy)


def stiffness_and_mass(model: fb.Model, at: dict | None = None) -> tuple[np.ndarray, np.ndarray]:
    structure = fb.linearize(fb.assemble(model), at).structure
    return structure.stiffness, structure.mass


def clamped(kind: fb.Discretization, length: float) -> fb.Model:
    model = fb.Model("clamped", gravity=(0.0, 0.0, 0.0))
    beam = model.add(fb.FlexibleBeam("beam", length, DENSITY, EI, kind, "yz", **NUMBERS))
    model.connect(model.add(fb.Ground("ground")).frame_b, beam.frame_a)
    model.connect(beam.frame_b, model.add(fb.Payload("load", LOAD, np.diag(ABOUT))).frame_a)
    return model


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "out", "tolerance"),
    [
        (BY_ELEMENTS, 1.2, 1e-9),
        *((FIXED, out, tolerance) for out, tolerance in ((START, 1e-9), (0.2, 2e-2))),
        *((FOLLOWING, out, 2e-4) for out in (1.2, 0.2)),
    ],
    ids=str,
)
def test_frequencies_of_the_beam_held_at_one_extension(kind: Kind, out: float, tolerance: float) -> None:
    """Those of a clamped beam of this length; by modes at the start, and with their fixed shapes nearly elsewhere."""
    model = sliding(kind[0], shapes=kind[1])
    K, M = (matrix[1:, 1:] for matrix in stiffness_and_mass(model, {"beam.displacement": out}))
    found = np.sqrt(eigh(K, M, eigvals_only=True))
    expected = np.sqrt(eigh(*stiffness_and_mass(clamped(kind[0], out)), eigvals_only=True))
    count = len(found) if tolerance < 1e-6 else 3
    np.testing.assert_allclose(found[:count], expected[:count], rtol=tolerance)


def shapes(kind: Kind, out: float) -> tuple:
    """Return the functions of deflection, rotation and twist at this extension, from those that a clamped beam has."""
    ratio = EI / (GA * out**2)
    if kind == BY_ELEMENTS:
        bending = ShearHermiteShapes(2, (12 * 4 * ratio,) * 2)
        return bending.deflection, bending.rotation, ELEMENTS.rod_shapes(TipBody(0.0)).deflection, out
    rod = rod_modes(2, TipBody(ABOUT[0] / (POLAR * START)), BeamProfiles())
    if kind == FOLLOWING:
        moving = clamped_modes(2, MODES.tip.relative(DENSITY * out, out))

        def sheared(xi: np.ndarray) -> np.ndarray:
            return moving.deflection(xi) - ratio * (moving.derivative(xi, 2) - moving.derivative(0.0, 2)[:, None])

        return sheared, moving.slope, rod.deflection, 1.0
    tip = MODES.tip.relative(DENSITY * START, START)
    modes = ritz_modes(2, tip, BeamProfiles(shear=RelativeProfile(GA * START**2 / EI)))
    share = (START / out) ** 2

    def deflection(xi: np.ndarray) -> np.ndarray:
        return modes.curvature.integral.integral(xi) + share * modes.sheared.integral(xi)

    return deflection, modes.rotation, rod.deflection, 1.0


def strains(kind: Kind, q: np.ndarray, label: np.ndarray) -> tuple[np.ndarray, ...]:
    """Return curvature, shear and twist per length of particles at distances `label` from the tip, by differences."""
    step = 1e-4
    inner, outer = (followed(kind, q, label + s * step) for s in (1, -1))
    slopes = [(b - a) / (2 * step) for a, b in zip(inner, outer, strict=True)]
    return slopes[2], slopes[1] - followed(kind, q, label)[2], slopes[3]


def followed(kind: Kind, q: np.ndarray, label: np.ndarray) -> tuple[np.ndarray, ...]:
    """Return x, (v, w), rotations and twists of particles at distances `label` from the tip."""
    out = q[0]
    deflection, rotation, twist, grown = shapes(kind, out)
    xi = 1 - label / out
    scale = np.array([1.0, grown] * 2) if kind == BY_ELEMENTS else np.ones(2)
    n = len(scale)
    across = np.array([(q[1 + i * n :][:n] * scale) @ deflection(xi) for i in range(2)])
    angles = np.array([(q[1 + i * n :][:n] * scale) @ rotation(xi) / out for i in range(2)])
    return out - label, across, angles, q[1 + 2 * n :] @ twist(xi)


def roots(kind: Kind, out: float) -> np.ndarray:
    """Return the roots of modes that follow the extension, which are states; none of others."""
    return clamped_modes(2, MODES.tip.relative(DENSITY * out, out)).b if kind == FOLLOWING else np.zeros(0)


def in_the_world(kind: Kind, q: np.ndarray, label: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return places and twists of particles of the arm on a hinge, whose angle is q[0]."""
    place, across, _, twist = followed(kind, q[1:], label)
    cross = np.array([[0, -AXIS[2], AXIS[1]], [AXIS[2], 0, -AXIS[0]], [-AXIS[1], AXIS[0], 0]])
    turn = np.eye(3) + np.sin(q[0]) * cross + (1 - np.cos(q[0])) * cross @ cross
    return turn @ np.vstack([place, across]), twist


@KINDS
def test_energies_are_those_of_particles_that_are_followed(kind: Kind) -> None:
    """Velocities of points in the world by differences, strains by differences, while all moves and turns."""
    dae = fb.assemble(sliding(kind[0], fb.Revolute("joint", axis=tuple(AXIS)), load=0.0, shapes=kind[1]))
    assert dae.q_names[-1] == "joint.angle"  # here the first
    rng, n, step = np.random.default_rng(5), dae.tree.size, 1e-5
    x, w = gauss_legendre(24, np.array([0.0, 0.5, 1.0]))
    for out in (0.3, 1.1):
        q, v = 0.05 * rng.normal(size=n), rng.normal(size=n)
        q[:2], label = (0.7, out), out * (1 - x)
        (ahead, twisted), (behind, untwisted) = (in_the_world(kind, q + s * step * v, label) for s in (1, -1))
        velocity, spin = (ahead - behind) / (2 * step), (twisted - untwisted) / (2 * step) + AXIS[0] * v[0]
        outside = out * w @ (DENSITY * (velocity**2).sum(axis=0) + POLAR * spin**2) / 2
        # In the hub the beam is straight.
        inside = gauss_legendre(4)
        distance = (out - LENGTH) * inside[0]
        across = v[0] ** 2 * (1 - AXIS[0] ** 2) * distance**2
        rest = (LENGTH - out) * (DENSITY * inside[1] @ (v[1] ** 2 + across) + POLAR * (AXIS[0] * v[0]) ** 2) / 2
        kinetic, potential = (float(e) for e in dae.energy(np.r_[q[1:], q[0], v[1:], v[0], roots(kind, out)], []))
        assert kinetic == pytest.approx(outside + rest, rel=1e-8)
        bent, sheared, twist = strains(kind, q[1:], label)
        stored = out * w @ (EI * (bent**2).sum(axis=0) + GA * (sheared**2).sum(axis=0) + GJ * twist**2) / 2
        assert potential == pytest.approx(stored, rel=1e-5)


def random_state(dae: DAE, seed: int, out: float) -> tuple[np.ndarray, np.ndarray]:
    rng, n = np.random.default_rng(seed), dae.tree.size
    q, v = 0.05 * rng.normal(size=n), rng.normal(size=n)
    q[dae.q_names.index("beam.displacement")] = out
    return q, v


KINDS_AND_FOLLOWING = pytest.mark.parametrize(
    ("kind", "options"),
    [
        (ELEMENTS, {}),
        (fb.AssumedModes(2, tip="auto"), {"shear_rigidity_z": 40.0}),
        (MODES, {"shapes": "ode", "shear": False, "shear_rigidity": None}),
        (MODES, {"shapes": "ode", "shear_rigidity_z": 40.0}),
        (fb.Rigid(), {}),
    ],
    ids=["elements", "modes", "following", "following with shear", "rigid"],
)


@pytest.mark.slow
@KINDS_AND_FOLLOWING
def test_a_free_arm_keeps_energy_and_momenta_and_inverse_is_forward(kind: fb.Discretization, options: dict) -> None:
    """The changes along the motion of all of them, by differences, while the beam slides, bends and twists."""
    model = sliding(kind, fb.FreeMotion("base"), **options)
    model.connect(model["base"].frame_b, model.add(fb.RigidBody("body", 2.0, np.diag([0.1, 0.2, 0.25]))).frame_a)
    model.add(fb.TotalMomentum("whole"))
    names = [f"whole.{of}_{axis}" for of in ("momentum", "angular_momentum") for axis in "xyz"]
    dae = fb.assemble(model)
    n, step, kept = dae.tree.size, 1e-5, [dae.y.index(name) for name in names]
    q, v = random_state(dae, 3, 0.8)
    beta = roots(FOLLOWING if "shapes" in options else FIXED, 0.8)
    x = np.concatenate([q, v, beta])
    rates = dae.forward_dynamics(x, [0.0], []).full().ravel()

    def conserved(x: np.ndarray) -> np.ndarray:
        return np.r_[dae.output(x, [0.0], []).full().ravel()[kept], float(sum(dae.energy(x, [])))]

    ahead, behind = conserved(x + step * rates), conserved(x - step * rates)
    before = np.abs(conserved(x))
    assert before.min() > 0.02
    np.testing.assert_allclose((ahead - behind) / (2 * step), 0.0, atol=1e-5 * np.abs(rates[n:]).max() * before.max())
    more = [beta] if len(beta) else []
    force = dae.inverse_dynamics(q, v, rates[n : 2 * n], [], *more).full().ravel()
    inertia = np.abs(dae.mass_matrix(q, [], *more).full() @ rates[n : 2 * n]).max()
    np.testing.assert_allclose(force, 0.0, atol=1e-9 * inertia)


@pytest.mark.slow
@KINDS
def test_the_material_dissipates_by_the_strains_of_particles(kind: Kind) -> None:
    """tau times the strain energy of the rates of strain, while the beam slides."""
    time, step = 1e-3, 1e-4
    options = {"load": 0.0, "shapes": kind[1]}
    damped, free = (fb.assemble(sliding(kind[0], **options, **kw)) for kw in ({"damping_time": time}, {}))
    n, (x, w) = free.tree.size, gauss_legendre(24, np.array([0.0, 0.5, 1.0]))
    for out in (0.3, 1.1):
        q, v = random_state(free, 7, out)
        beta, label = roots(kind, out), out * (1 - x)
        state = np.concatenate([q, v, beta])
        rates = [dae.forward_dynamics(state, [0.0], []).full().ravel()[n : 2 * n] for dae in (damped, free)]
        ahead, behind = (strains(kind, q + s * v, label) for s in (step, -step))
        bent, sheared, twist = ((a - b) / (2 * step) for a, b in zip(ahead, behind, strict=True))
        expected = time * out * w @ (EI * (bent**2).sum(0) + GA * (sheared**2).sum(0) + GJ * twist**2)
        M = free.mass_matrix(q, [], *([beta] if len(beta) else [])).full()
        assert v @ M @ (rates[1] - rates[0]) == pytest.approx(expected, rel=1e-4)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "tolerance"),
    [({}, 1e-6), ({"shapes": "ode", "shear_rigidity": 3e3}, 5e-3)],
    ids=["modes", "following with shear"],
)
def test_a_damping_ratio_is_that_of_every_mode_where_it_starts(options: dict, tolerance: float) -> None:
    structure = fb.linearize(fb.assemble(sliding(MODES, damping_ratio=0.03, **options))).structure
    M, D, K = (getattr(structure, name)[1:, 1:] for name in ("mass", "damping", "stiffness"))
    zero, one = np.zeros_like(M), np.eye(len(M))
    poles = eigvals(np.block([[zero, one], [-K, -D]]), np.block([[one, zero], [zero, M]]))
    np.testing.assert_allclose(-poles.real / np.abs(poles), 0.03, rtol=tolerance)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"shear_rigidity": None}, "shear = True needs shear_rigidity"),
        ({"polar_inertia": None}, "torsion = True needs polar_inertia"),
        ({"torsion": False}, "torsional_rigidity has no effect; set torsion=True"),
    ],
)
def test_refusals(options: dict, message: str) -> None:
    with pytest.raises(fb.errors.ParameterError, match=message):
        sliding(MODES, **options)


@pytest.mark.slow
def test_numbers_may_stay_open_and_a_file_keeps_them(tmp_path) -> None:
    model = sliding(ELEMENTS, gravity=9.81)
    open_ = ("beam.shear_rigidity", "beam.torsional_rigidity", "beam.polar_inertia", "beam.flexural_rigidity")
    dae = fb.assemble(model, symbolic=open_)
    model.save(tmp_path / "arm.yaml")
    closed = fb.assemble(fb.load(tmp_path / "arm.yaml"))
    x = np.concatenate(random_state(closed, 1, 0.9))
    found = dae.forward_dynamics(x, [1.0], dae.p.start).full()
    np.testing.assert_allclose(found, closed.forward_dynamics(x, [1.0], []).full(), rtol=1e-9)
