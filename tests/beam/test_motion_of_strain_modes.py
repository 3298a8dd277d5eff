"""Motions of beams that bend far: by other programs, momenta of a flying rod, frequencies of a spinning one."""

from __future__ import annotations

import numpy as np
import pytest
from beam.test_stiffening import flapwise, rotor, spinning

import flexblocks as fb
from arms.chains import chain
from oracles.published import reference

BESIDE, HUB = ((0.0, 0.2, 0.0), (0.0, -0.1, 0.2)), 0.1


def flying_rod(kind: fb.StrainModes, places: np.ndarray) -> fb.DAE:
    """Return a free rod of 0.7 kg/m and 1 m with stations at `places`, and two points beside its root."""
    base, beam = fb.FreeMotion("base"), fb.FlexibleBeam("beam", 1.0, 0.7, 0.05, kind, "yz")
    model = chain(base, beam, gravity=(0.0, 0.0, 0.0))
    for i, offset in enumerate(BESIDE):
        bracket = model.add(fb.FixedTransform(f"bracket{i}", offset))
        model.connect(base.frame_b, bracket.frame_a)
        model.connect(bracket.frame_b, model.add(fb.LumpedMass(f"p{i}", HUB)).frame_a)
    for i, place in enumerate(places, len(BESIDE)):
        model.connect(beam.station(float(place)), model.add(fb.LumpedMass(f"p{i}", 0.0)).frame_a)
    return fb.assemble(model)


@pytest.mark.slow
def test_a_flying_rod_keeps_its_momenta_and_its_energy() -> None:
    """Momenta by sums over points of the rod, whose velocities are differences of their places."""
    xi, w = np.polynomial.legendre.leggauss(4)
    places, masses = (xi + 1) / 2, np.r_[[HUB] * len(BESIDE), 0.7 * w / 2]
    dae = flying_rod(fb.StrainModes(1), places)
    start = {"beam.curvature_y[1]": 2.0, "beam.curvature_z[1]": -1.0, "der(beam.curvature_z[1])": 3.0}
    start |= {"der(base.rotation_x)": 2.0, "der(base.rotation_z)": -3.0, "der(base.displacement_y)": 1.0}
    run = fb.simulate(dae, np.linspace(0.0, 0.6, 7), x0=start, rtol=1e-9, atol=1e-11)

    def points(x: np.ndarray) -> np.ndarray:
        y = dae.output(x, [], []).full().ravel()
        return np.array([[y[dae.y.index(f"p{i}.{axis}")] for axis in "xyz"] for i in range(len(masses))])

    momenta = []
    for x in run.x:
        step = 1e-5 * dae.forward_dynamics(x, [], []).full().ravel()
        velocities = (points(x + step) - points(x - step)) / 2e-5
        momenta.append(np.r_[masses @ velocities, masses @ np.cross(points(x), velocities)])
    momenta, energy = np.array(momenta), np.array([float(sum(dae.energy(x, []))) for x in run.x])
    bent = np.column_stack([run["beam.tip_deflection_y"], run["beam.tip_deflection_z"]])
    assert np.linalg.norm(bent, axis=1).max() > 0.4
    assert np.linalg.norm(momenta[0, :3]) > 0.3
    assert np.linalg.norm(momenta[0, 3:]) > 0.05
    np.testing.assert_allclose(momenta, np.tile(momenta[0], (len(momenta), 1)), atol=2e-7)
    np.testing.assert_allclose(energy, energy[0], rtol=1e-7)


@pytest.mark.parametrize("axis", ["z", "y"], ids=["flapwise", "lagwise"])
def test_frequencies_of_a_rotating_beam(axis: str) -> None:
    """By power series; lagwise most of the first stiffness is taken away again, and the error counts for more."""
    dae = rotor(fb.StrainModes(4), axis)
    for speed in (0.0, 3.0, 6.0):
        squares = np.square(flapwise(speed)) - (speed**2 if axis == "y" else 0)
        np.testing.assert_allclose(spinning(dae, speed)[:2], np.sqrt(squares)[:2], rtol=1e-2)


def pulse(size: float, duration: float):
    """Return what rises and falls once, smoothly."""
    return lambda t: size * np.sin(np.pi * t / duration) ** 2 if t < duration else 0.0


def pushed(name: str, kind: fb.StrainModes) -> tuple[fb.Model, dict]:
    """Return the rod of a case of exudyn_rods.json, on a hinge or free, and its inputs."""
    case, flies = reference("exudyn_rods")[name], name == "flying_rod"
    J, options = case["section_inertia"], {}
    if flies:
        options = {"section_inertia_z": J, "torsion": True, "torsional_rigidity": case["EI"], "polar_inertia": J}
    beam = fb.FlexibleBeam(
        "beam", case["length"], case["density"], case["EI"], kind, "yz" if flies else "y", shear=True,
        shear_rigidity=case["kGA"], rotary_inertia=True, section_inertia=J, axial=True, axial_rigidity=case["EA"],
        **options,
    )  # fmt: skip
    base = fb.FreeMotion("base") if flies else fb.Revolute("base")
    model = chain(base, beam, fb.LumpedMass("far", 0.0), gravity=(0.0, 0.0, 0.0))
    if not flies:
        model.connect(model.add(fb.TorqueSource("motor")).flange_b, base.axis)
        return model, {"motor.torque": pulse(case["torque"], case["duration"])}
    for block in (fb.LumpedMass("near", 0.0), fb.WorldForce("push"), fb.WorldTorque("turn")):
        model.connect(base.frame_b, model.add(block).frame_a)
    loads = {"push.force": case["force"], "turn.torque": case["moment"]}
    inputs = {f"{load}_{axis}": v for load, vector in loads.items() for axis, v in zip("xyz", vector, strict=True)}
    return model, {load: pulse(size, case["duration"]) for load, size in inputs.items()}


def slow(*values: object):
    return pytest.param(*values, marks=pytest.mark.slow)


@pytest.mark.parametrize(
    ("name", "n", "until", "bent", "bound"),
    [("spin_up", 3, 2, 0.2, 5e-4), slow("spin_up", 6, 6, 0.4, 1e-5), slow("flying_rod", 6, 6, 0.5, 9e-5)],
)
def test_pushed_rods_against_exudyn(name: str, n: int, until: int, bent: float, bound: float) -> None:
    """The paths of the ends by shear-deformable geometrically exact beams, known within 3e-6 and 3e-5 of the length."""
    case = reference("exudyn_rods")[name]
    model, inputs = pushed(name, fb.StrainModes(n))
    run = fb.simulate(fb.assemble(model), np.array([0.0, *case["t_s"][:until]]), inputs, rtol=1e-7, atol=1e-9)
    ends = ["near", "far"] if "near" in model.blocks else ["far"]
    found = np.stack([np.column_stack([run[f"{end}.{axis}"] for axis in "xyz"]) for end in ends], axis=1)[1:]
    assert np.abs(run["beam.tip_deflection_y"]).max() > bent * case["length"]
    if name == "flying_rod":
        assert np.abs(run["far.z"]).max() > 0.3 * case["length"]
    errors = np.linalg.norm(found - np.array(case["places_m"])[:until], axis=-1) / case["length"]
    assert errors.max() < bound
