"""Inner forces of a deflected beam: the statics of its bent shape, and what the joint at its root drives."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import flexblocks as fb
from arms.fidelities import cantilever, outputs

LENGTH = 2.0
GRAVITY = np.array([3.0, -7.0, 2.0])
RHO = 0.4
CUTS = (0.0, 0.7, 2.0)


def hinged(kind, **options: object) -> fb.DAE:
    """Return a beam of 5 m with 200 kg on a driven hinge."""
    model = fb.Model("one", gravity=(0.0, -9.81, 0.0))
    ground, motor, joint = (model.add(b) for b in (fb.Ground("g"), fb.TorqueSource("motor"), fb.Revolute("joint")))
    beam = model.add(fb.FlexibleBeam("beam", 5.0, 15.0, 7e5, kind, internal_forces=(0.0,), **options))
    load = model.add(fb.Payload("load", mass=200.0))
    model.connect(motor.flange_b, joint.axis)
    model.connect(ground.frame_b, joint.frame_a)
    model.connect(joint.frame_b, beam.frame_a)
    model.connect(beam.frame_b, load.frame_a)
    return fb.assemble(model)


@pytest.mark.parametrize(
    ("kind", "options"),
    [
        (fb.AssumedModes(2, tip="auto"), {}),
        (fb.AssumedModes(2, tip="auto"), {"stiffening": True}),
        (fb.FiniteElements(2), {}),
        (fb.FiniteElements(1), {"stiffening": True}),
        (fb.AssumedModes(3, tip="pinned"), {}),
        (fb.RigidSegments(4), {}),
        (fb.StrainModes(2), {}),
        (fb.FiniteElements(2), {"axial": True, "axial_rigidity": 1e7, "shear": True, "shear_rigidity": 1e6}),
    ],
    ids=str,
)
def test_the_moment_at_the_root_is_the_torque_that_holds_the_joint(kind, options: dict) -> None:
    """On a beam of 5 m with 200 kg, whose tip deflects by up to 3 %; without the lever it was 2.5 % too small."""
    dae = hinged(kind, **options)
    for angle in (0.0, 1.2):
        point = fb.equilibrium(dae, x={"joint.angle": angle})
        y = dict(zip(dae.y.names, dae.output(point.x, point.u, []).full().ravel(), strict=True))
        sag = np.sin(angle) * y["load.x"] - np.cos(angle) * y["load.y"]
        assert sag > 0.008 * 5.0
        assert y["beam.root_moment_y"] == pytest.approx(-point["motor.torque"], rel=1e-9)


def bent(kind, **options: object) -> tuple[dict[str, float], list[str]]:
    """Return the outputs of a beam bent both ways, and twisted, by weights all along and beside its axis.

    At Gauss points along it, at the cuts and beside them there are points without mass, whose places are outputs.
    """
    beam = fb.FlexibleBeam("beam", LENGTH, RHO, 30.0, kind, "yz", flexural_rigidity_z=50.0, internal_forces=CUTS)
    beam = replace(beam, torsion=True, torsional_rigidity=20.0, polar_inertia=1e-3, **options)
    load = fb.Payload("load", mass=0.3, inertia=(1e-3, 1e-3, 1e-3), center=(0.1, 0.05, -0.08))
    model = cantilever(beam, load, gravity=tuple(GRAVITY))
    names = []
    s, _ = gauss()
    for i, x in enumerate([*s, *CUTS]):
        point = model.add(fb.LumpedMass(f"p{i}", 0.0))
        model.connect(beam.station(float(x)), point.frame_a)
        names.append(point.name)
    for i, x in enumerate(CUTS):
        for axis, offset in zip("yz", np.eye(3)[1:], strict=True):
            move = model.add(fb.FixedTransform(f"to_{axis}{i}", translation=tuple(offset)))
            point = model.add(fb.LumpedMass(f"{axis}{i}", 0.0))
            model.connect(beam.station(float(x)), move.frame_a)
            model.connect(move.frame_b, point.frame_a)
    center = model.add(fb.FixedTransform("to_centre", translation=load.center))
    model.connect(beam.frame_b, center.frame_a)
    model.connect(center.frame_b, model.add(fb.LumpedMass("centre", 0.0)).frame_a)
    return outputs_at_rest(fb.assemble(model)), names


def outputs_at_rest(dae: fb.DAE) -> dict[str, float]:
    return outputs(dae, fb.equilibrium(dae).x[: dae.tree.size])


def gauss() -> tuple[np.ndarray, np.ndarray]:
    """Return Gauss points and weights between every two cuts, which the middles of the cells of segments divide too."""
    bounds = np.unique([*CUTS, *(LENGTH * (i + 0.5) / 3 for i in range(3))])
    nodes, weights = np.polynomial.legendre.leggauss(3)
    half = np.diff(bounds)[:, None] / 2
    return (bounds[:-1, None] + half * (1 + nodes)).ravel(), (half * weights).ravel()


@pytest.mark.parametrize(
    ("kind", "options"),
    [
        (fb.AssumedModes(3, tip="auto"), {}),
        (fb.FiniteElements(1), {"stiffening": True, "axial": True, "axial_rigidity": 400.0}),
        (fb.RigidSegments(3), {}),
        pytest.param(fb.StrainModes(2), {"axial": True, "axial_rigidity": 400.0}, marks=pytest.mark.slow),
    ],
    ids=str,
)
def test_statics_of_the_bent_shape_all_along(kind, options: dict) -> None:
    """Weights times their levers about the section, where it is and along its axes: from the places of points alone."""
    y, names = bent(kind, **options)

    def place(name: str) -> np.ndarray:
        return np.array([y[f"{name}.{axis}"] for axis in "xyz"])

    s, w = gauss()
    assert np.linalg.norm(place("centre")[1:]) > 0.1 * LENGTH
    for i, x in enumerate(CUTS):
        about = place(names[len(s) + i])
        across = [place(f"{axis}{i}") - about for axis in "yz"]
        axes = np.column_stack([np.cross(*across), *across])
        np.testing.assert_allclose(axes.T @ axes, np.eye(3), atol=1e-12)
        weights = [(RHO * weight, names[k]) for k, (at, weight) in enumerate(zip(s, w, strict=True)) if at > x]
        force, moment = np.zeros(3), np.zeros(3)
        for mass, name in [*weights, (0.3, "centre")]:
            force += mass * GRAVITY
            moment += np.cross(place(name) - about, mass * GRAVITY)
        force, moment = axes.T @ force, axes.T @ moment
        label = f"beam.station({x!r})." if x else "beam.root_"
        found = [y[label + name] for name in ("tension", "shear_y", "shear_z", "torque", "moment_z", "moment_y")]
        # A positive moment_z bends towards +z, so turns about -y.
        expected = [*force, moment[0], -moment[1], moment[2]]
        np.testing.assert_allclose(found, expected, rtol=2e-6, atol=2e-6 * np.abs(moment).max())


def test_forces_of_a_closed_loop_bend_and_pull_the_bent_beam() -> None:
    """A slide that keeps the tip at its distance pulls it: the moment at the root has both levers."""
    model = fb.Model("braced", gravity=(0.0, -9.81, 0.0))
    ground = model.add(fb.Ground("ground"))
    beam = model.add(
        fb.FlexibleBeam(
            "beam",
            2.0,
            1e-6,
            40.0,
            fb.FiniteElements(2),
            axial=True,
            axial_rigidity=2e3,
            stiffening=True,
            internal_forces=(0.0,),
        )
    )
    slide = model.add(fb.Prismatic("slide", axis=(0, 1, 0)))
    post = model.add(fb.FixedTransform("post", translation=(2.0, 0.0, 0.0)))
    load = model.add(fb.LumpedMass("load", 0.3))
    pin, eye = model.add(fb.Revolute("pin")), model.add(fb.LumpedMass("eye", 1e-3))
    model.connect(ground.frame_b, beam.frame_a)
    model.connect(ground.frame_b, post.frame_a)
    model.connect(post.frame_b, slide.frame_a)
    model.connect(slide.frame_b, load.frame_a, pin.frame_a)
    model.connect(pin.frame_b, beam.frame_b, eye.frame_a)
    dae = fb.assemble(model)
    point = fb.equilibrium(dae)
    y = outputs(dae, point.x[: dae.tree.size])
    pull, sag = y["beam.root_tension"], y["beam.tip_deflection_y"]
    assert y["beam.root_shear_y"] == pytest.approx(-9.81 * 0.301, rel=1e-5)
    assert pull * sag < -0.05 * 2.0 * 9.81 * 0.301
    assert y["beam.root_moment_y"] == pytest.approx(2.0 * y["beam.root_shear_y"] - sag * pull, rel=1e-5)
