"""Inner forces and stress: statics, the exact response of a shaken beam, pull in a spin, the torque of a joint."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import flexblocks as fb
from arms.chains import chain
from arms.fidelities import cantilever, outputs
from flexblocks import control, models
from flexblocks.errors import FlexblocksError

LENGTH, RHO, EI = 2.0, 3.0, 5.0
KINDS = [fb.Rigid(), fb.AssumedModes(2, tip="free"), fb.FiniteElements(1), fb.RigidSegments(2)]
STRAINS = pytest.param(fb.StrainModes(2), marks=pytest.mark.slow)
PLACES = (0.0, 0.7, 2.0)


def at_rest(dae: fb.DAE) -> dict[str, float]:
    return outputs(dae, fb.equilibrium(dae).x[: dae.tree.size])


def name(x: float, force: str) -> str:
    return f"beam.root_{force}" if x == 0 else f"beam.station({x!r}).{force}"


@pytest.mark.parametrize("kind", [*KINDS, STRAINS], ids=str)
def test_statics(kind) -> None:
    """M = F (l - x) + f (l - x)^2/2, Q = F + f (l - x), the moment of an eccentric weight as torque; any fidelity."""
    weight, f = 1e-4, 2e-4
    beam = fb.FlexibleBeam("beam", LENGTH, RHO, EI, kind, "yz", load_y=f, internal_forces=PLACES)
    beam = replace(beam, torsion=True, torsional_rigidity=4.0, polar_inertia=0.1)
    load = fb.Payload("load", mass=1.0, inertia=np.diag([1e-3] * 3), center=(0.0, 0.0, 0.3))
    y = at_rest(fb.assemble(cantilever(beam, load, gravity=(0.0, 0.0, -weight))))
    rho_g = RHO * weight
    for x in PLACES:
        rest = LENGTH - x
        assert y[name(x, "moment_y")] == pytest.approx(f * rest**2 / 2, rel=2e-3, abs=1e-7)
        assert y[name(x, "shear_y")] == pytest.approx(f * rest, rel=2e-3, abs=1e-7)
        assert y[name(x, "moment_z")] == pytest.approx(-weight * rest - rho_g * rest**2 / 2, rel=2e-3, abs=1e-7)
        assert y[name(x, "shear_z")] == pytest.approx(-weight - rho_g * rest, rel=2e-3)
        assert y[name(x, "tension")] == pytest.approx(0.0, abs=1e-7)
        # A weight on the axis above the beam does not twist it.
        assert y[name(x, "torque")] == pytest.approx(0.0, abs=1e-7)


@pytest.mark.parametrize("kind", [*KINDS, STRAINS], ids=str)
def test_an_eccentric_weight_twists(kind) -> None:
    beam = fb.FlexibleBeam("beam", LENGTH, RHO, EI, kind, internal_forces=PLACES)
    beam = replace(beam, torsion=True, torsional_rigidity=4.0, polar_inertia=0.1)
    load = fb.Payload("load", mass=1.0, inertia=np.diag([1e-3] * 3), center=(0.0, 0.0, 0.3))
    y = at_rest(fb.assemble(cantilever(beam, load, gravity=(0.0, -1e-4, 0.0))))
    # r x F = 0.3 e_z x (-1e-4 e_y) = 3e-5 e_x.
    np.testing.assert_allclose([y[name(x, "torque")] for x in PLACES], 3e-5, rtol=1e-3)


def response(load: float, w: float, x: float) -> float:
    """Return EI v'' at x of a cantilever under f = load sin(w t), over sin(w t): EI v'''' = rho w^2 v + f."""
    b = (RHO * w**2 / EI) ** 0.25

    def basis(place: float, order: int) -> np.ndarray:
        c, s, ch, sh = np.cos(b * place), np.sin(b * place), np.cosh(b * place), np.sinh(b * place)
        return b**order * np.array([[c, s, ch, sh], [-s, c, sh, ch], [-c, -s, ch, sh], [s, -c, sh, ch]][order])

    rows = np.array([basis(0, 0), basis(0, 1), basis(LENGTH, 2), basis(LENGTH, 3)])
    coefficients = np.linalg.solve(rows, [load / (RHO * w**2), 0.0, 0.0, 0.0])
    return EI * float(basis(x, 2) @ coefficients)


@cache
def shaken(kind) -> fb.LinearModel:
    """Return the linear model of the same beam, from its load to the moments."""
    beam = fb.FlexibleBeam("beam", LENGTH, RHO, EI, kind, load_y="input", internal_forces=(0.0, 0.7))
    return fb.linearize(fb.assemble(cantilever(beam)), outputs=("beam.root_moment_y", "beam.station(0.7).moment_y"))


def found_response(kind, w: float, output: str) -> float:
    """Return the same from the linear model."""
    lin = shaken(kind)
    transfer = lin.C @ np.linalg.solve(1j * w * np.eye(len(lin.A)) - lin.A, lin.B) + lin.D
    return float(np.real(transfer)[lin.outputs.index(output), 0])


@pytest.mark.parametrize(("x", "output"), [(0.0, "beam.root_moment_y"), (0.7, "beam.station(0.7).moment_y")])
@pytest.mark.parametrize(
    ("kind", "sizes", "least"),
    [
        (fb.AssumedModes, (2, 4), 3.0),
        (fb.FiniteElements, (2, 4), 3.5),
        (fb.RigidSegments, (5, 10), 1.7),
        (fb.StrainModes, (2, 4), 3.5),
    ],
)
def test_moments_of_a_shaken_beam_converge_to_the_exact_ones(kind, sizes, least: float, x: float, output: str) -> None:
    """Between the first two resonances; the balance of forces loses nothing against the motion itself."""
    w = 5.0
    exact = response(1.0, w, x)
    errors = [found_response(kind(n), w, output) / exact - 1 for n in sizes]
    assert abs(errors[1]) < 0.03
    assert np.log2(abs(errors[0] / errors[1])) > least


def test_curvature_is_no_measure_of_the_moment() -> None:
    """Two modes under a force at the tip: EI v'' at the root is 4 % off where the balance of forces is exact."""
    force = 1e-4
    beam = fb.FlexibleBeam("beam", LENGTH, 1e-9, EI, fb.AssumedModes(2, tip="free"), internal_forces=(0.0,))
    dae = fb.assemble(cantilever(beam, fb.LumpedMass("load", force), gravity=(0.0, 1.0, 0.0)))
    point = fb.equilibrium(dae)
    y = outputs(dae, point.x[:2])
    assert y["beam.root_moment_y"] == pytest.approx(force * LENGTH, rel=1e-4)
    shapes = beam.discretization.shapes(fb.TipBody(0.0))
    bent = EI / LENGTH**2 * float(shapes.strain(0.0) @ point.x[:2])
    assert 0.03 < 1 - bent / (force * LENGTH) < 0.06


@pytest.mark.parametrize("kind", [*KINDS, fb.AssumedModes(2, tip="auto"), fb.StrainModes(2)], ids=str)
def test_pull_in_a_spin(kind) -> None:
    """rho w^2 (l^2 - x^2)/2 + m w^2 l."""
    w, model = 3.0, fb.Model("rotor")
    ground, joint = model.add(fb.Ground("ground")), model.add(fb.Revolute("joint"))
    beam = model.add(fb.FlexibleBeam("beam", LENGTH, RHO, EI, kind, internal_forces=PLACES))
    load = model.add(fb.LumpedMass("load", 0.5))
    model.connect(ground.frame_b, joint.frame_a)
    model.connect(joint.frame_b, beam.frame_a)
    model.connect(beam.frame_b, load.frame_a)
    dae = fb.assemble(model)
    x = np.zeros(len(dae.x))
    x[dae.x.index("der(joint.angle)")] = w
    y = dict(zip(dae.y.names, dae.output(x, [], []).full().ravel(), strict=True))
    for place in PLACES:
        expected = RHO * w**2 * (LENGTH**2 - place**2) / 2 + 0.5 * w**2 * LENGTH
        assert y[name(place, "tension")] == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("kind", [fb.AssumedModes(4, tip="free"), fb.FiniteElements(2), fb.RigidSegments(6)], ids=str)
def test_a_beam_that_shortens_feels_its_deflection_under_pull(kind) -> None:
    """The moment of a force (P, F) at the tip has both levers: F (l - x) - P (v(l) - v(x))."""
    pull, push = 2.0, 0.1
    beam = fb.FlexibleBeam("beam", LENGTH, 1e-9, EI, kind, stiffening=True, internal_forces=(0.0, 1.0))
    model = cantilever(beam, fb.LumpedMass("load", 1.0), gravity=(pull, push, 0.0))
    model.connect(beam.station(1.0), model.add(fb.LumpedMass("middle", 0.0)).frame_a)
    y = at_rest(fb.assemble(model))
    levers = {0.0: (LENGTH, y["load.y"]), 1.0: (LENGTH - 1.0, y["load.y"] - y["middle.y"])}
    for place, (along, across) in levers.items():
        moment = push * along - pull * across
        assert y[name(place, "moment_y")] == pytest.approx(moment, rel=3e-3)
        assert pull * across > 0.3 * moment


@pytest.mark.parametrize(
    ("section", "bending"),
    [(fb.Rectangle(width=0.02, height=0.03), "yz"), (fb.Tube(outer=0.04, inner=0.03), "y")],
    ids=str,
)
def test_stress_is_moment_over_section_modulus(section, bending: str) -> None:
    steel = fb.Material(7850.0, 2.1e11)
    beam = fb.FlexibleBeam(
        "beam",
        LENGTH,
        section=section,
        material=steel,
        bending=bending,
        load_y=3.0,
        load_z=4.0,
        internal_forces=(0.0, 1.5),
        discretization=fb.FiniteElements(1),
    )
    y = at_rest(fb.assemble(cantilever(beam)))
    for place, label in ((0.0, "root_"), (1.5, "station(1.5).")):
        moment = {axis: y[f"beam.{label}moment_{axis}"] for axis in bending}
        parts = [abs(m) * section.extreme_fibre(axis) / section.second_moment(axis) for axis, m in moment.items()]
        expected = np.hypot(*parts) if not section.has_corners and len(parts) == 2 else sum(parts)
        assert y[f"beam.{label}stress"] == pytest.approx(expected, rel=1e-12)
        assert parts[0] == pytest.approx(
            3.0 * (LENGTH - place) ** 2 / 2 * section.extreme_fibre("y") / section.second_moment("y"), rel=5e-2
        )
    dae = fb.assemble(cantilever(replace(beam, load_y=None, load_z=None)))
    assert np.all(np.isfinite(fb.linearize(dae).C))


@pytest.mark.parametrize("kind", KINDS[1:], ids=str)
def test_asking_for_forces_changes_no_equation(kind) -> None:
    plain = chain(
        fb.Revolute("joint"),
        fb.FlexibleBeam("beam", LENGTH, RHO, EI, kind),
        fb.Revolute("wrist"),
        fb.RigidLink("rod", 0.5, 1.0),
    )
    asked = plain.copy({"beam": replace(plain["beam"], internal_forces=(0.0, 0.9))})
    one, other = fb.assemble(plain), fb.assemble(asked)
    assert one.x.names == other.x.names
    assert one.y.names == tuple(n for n in other.y.names if not any(word in n for word in ("root_", "station")))
    x = np.random.default_rng(0).uniform(-0.2, 0.2, len(one.x))
    tolerance = {"rtol": 1e-10, "atol": 1e-10}
    np.testing.assert_allclose(
        one.forward_dynamics(x, [], []).full(), other.forward_dynamics(x, [], []).full(), **tolerance
    )


@pytest.mark.parametrize(("kind", "size", "tolerance"), [(None, 0.05, 1e-9), (fb.RigidSegments(3), 0.5, 1e-9)])
def test_the_moment_at_the_root_is_what_the_joint_drives(kind, size: float, tolerance: float) -> None:
    """On a joint with motor and rotor it is their torque, whatever the arm does and however it is bent."""
    arm = models.subudhi_morris_2002(joints="rigid")
    arm = fb.rediscretize(arm, kind) if kind else arm
    arm = arm.copy({"link1": replace(arm["link1"], internal_forces=(0.0,))})
    dae = fb.assemble(arm)
    rng = np.random.default_rng(0)
    x, u = size * rng.uniform(-1, 1, len(dae.x)), rng.uniform(-1, 1, len(dae.u))
    y = dict(zip(dae.y.names, dae.output(x, u, []).full().ravel(), strict=True))
    a = dae.forward_dynamics(x, u, []).full().ravel()[dae.x.index("der(joint1.angle)")]
    torque = u[dae.u.index("motor1.torque")] - arm["rotor1"].inertia * a
    assert y["link1.root_moment_y"] == pytest.approx(-torque, rel=tolerance)


def test_come_back_from_files(tmp_path: Path) -> None:
    model = cantilever(
        fb.FlexibleBeam("beam", 1.0, 1.0, 1.0, internal_forces=(0, 0.5), load_y="input", load_z=[(0, 1.0), (1, 0)])
    )
    model.save(tmp_path / "arm.yaml")
    assert fb.load(tmp_path / "arm.yaml").blocks == model.blocks


@pytest.mark.parametrize("places", [(2.5,), ("root",), (True,), (0.5, 0.5), "root"])
def test_refused(places) -> None:
    with pytest.raises(FlexblocksError, match="internal_forces = "):
        fb.FlexibleBeam("beam", LENGTH, RHO, EI, internal_forces=places)


def test_forces_in_a_closed_loop_are_those_under_its_torques() -> None:
    arm = models.subudhi_morris_2002(joints="rigid")
    arm = arm.copy({"link2": replace(arm["link2"], internal_forces=(0.0, 0.2))})
    dae = fb.assemble(arm)
    loops = {"joint1.angle": "motor1.torque", "joint2.angle": "motor2.torque"}
    closed = control.close_loop(dae, control.PD(loops, kp=2.0, kd=0.5), limits=False)
    x = 0.05 * np.random.default_rng(2).uniform(-1, 1, len(dae.x))
    angles, rates = (
        np.array([x[dae.x.index(n.format(i))] for i in (1, 2)]) for n in ("joint{}.angle", "der(joint{}.angle)")
    )
    found = dict(zip(closed.y.names, closed.output(x, np.zeros(len(closed.u)), []).full().ravel(), strict=True))
    expected = dict(zip(dae.y.names, dae.output(x, -2.0 * angles - 0.5 * rates, []).full().ravel(), strict=True))
    forces = [n for n in expected if n.startswith(("link2.root_", "link2.station(0.2)."))]
    assert len(forces) == 6
    np.testing.assert_allclose([found[n] for n in forces], [expected[n] for n in forces], rtol=1e-9, atol=1e-12)
