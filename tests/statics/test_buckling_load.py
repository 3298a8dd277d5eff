"""Buckling loads against closed forms and published ones."""

from __future__ import annotations

import math

import pytest

import flexblocks as fb
from flexblocks.errors import ComputationError, NameUnknownError, ParameterError

LENGTH, RIGIDITY = 0.8, 3.0


def column(kind: fb.Discretization, resolve_in: str = "world", length: float = LENGTH, **beam: object) -> fb.DAE:
    """Return a clamped column under a force at its free end."""
    model = fb.Model("column")
    ground = model.add(fb.Ground("ground"))
    sizes = {"length": length, "linear_density": 0.3, "flexural_rigidity": RIGIDITY}
    rod = model.add(fb.FlexibleBeam("rod", **sizes, discretization=kind, bending="y", **beam))
    load = model.add(fb.WorldForce("load", resolve_in=resolve_in))
    model.connect(ground.frame_b, rod.frame_a)
    model.connect(rod.frame_b, load.frame_a)
    return fb.assemble(model)


@pytest.mark.parametrize("length", [0.01, 40.0])
@pytest.mark.parametrize(
    ("kind", "beam", "within"),
    [
        (fb.StrainModes(4), {}, 1e-5),
        (fb.AssumedModes(3), {"stiffening": True}, 4e-3),
        (fb.RigidSegments(8), {}, 4e-3),
    ],
    ids=["strains", "modes", "segments"],
)
def test_eulers_column(kind: fb.Discretization, beam: dict, within: float, length: float) -> None:
    """A dead load buckles a column that is clamped at one end at pi^2 EI/(4 l^2); a pull does not."""
    found = fb.buckling_load(column(kind, length=length, **beam), "load.force_x")
    assert found.load == pytest.approx(-(math.pi**2) * RIGIDITY / (4 * length**2), rel=within)
    assert (found.kind, found.frequency, found.unit) == ("divergence", 0.0, "N")
    assert max(found.mode.values(), key=abs) == 1.0
    assert found.at["load.force_x"] == pytest.approx(found.load)


def test_becks_column() -> None:
    """A force that follows the end makes it flutter at 20.0510 EI/l^2, at 11.016 sqrt(EI/(rho l^4)) (Beck 1952)."""
    found = fb.buckling_load(column(fb.StrainModes(5), "frame"), "load.force_x")
    assert found.kind == "flutter"
    assert found.load == pytest.approx(-20.0510 * RIGIDITY / LENGTH**2, rel=1e-4)
    assert found.frequency == pytest.approx(11.016 * math.sqrt(RIGIDITY / 0.3) / LENGTH**2, rel=1e-3)


def test_a_pinned_column_closes_a_loop() -> None:
    """Between a hinge and a slider with a hinge it buckles at pi^2 EI/l^2."""
    model = fb.Model("column")
    ground, foot, head = (
        model.add(fb.Ground("ground")),
        model.add(fb.Revolute("foot")),
        model.add(fb.Revolute("head")),
    )
    rod = model.add(
        fb.FlexibleBeam(
            "rod",
            length=LENGTH,
            linear_density=0.3,
            flexural_rigidity=RIGIDITY,
            discretization=fb.StrainModes(4),
            bending="y",
        )
    )
    slide, end = model.add(fb.Prismatic("slide", axis=(1, 0, 0))), model.add(fb.FixedTransform("end", (LENGTH, 0, 0)))
    slider, load = model.add(fb.LumpedMass("slider", mass=0.1)), model.add(fb.WorldForce("load"))
    model.connect(ground.frame_b, foot.frame_a)
    model.connect(foot.frame_b, rod.frame_a)
    model.connect(ground.frame_b, end.frame_a)
    model.connect(end.frame_b, slide.frame_a)
    model.connect(slide.frame_b, slider.frame_a)
    model.connect(slide.frame_b, load.frame_a)
    model.connect(rod.frame_b, head.frame_a)
    model.connect(head.frame_b, slide.frame_b)
    found = fb.buckling_load(fb.assemble(model), "load.force_x")
    assert found.load == pytest.approx(-(math.pi**2) * RIGIDITY / LENGTH**2, rel=1e-3)


@pytest.mark.slow
def test_a_frame_at_a_right_angle_tips_over() -> None:
    """Argyris and others (1979): a thin frame, loaded in its plane, buckles out of it at 1.088 and -0.680."""
    young, shear = 71240.0, 71240.0 / 2.62
    deep, thin, length = 30.0, 0.6, 240.0
    sizes = {
        "length": length,
        "linear_density": 1.0,
        "flexural_rigidity": young * thin * deep**3 / 12,
        "flexural_rigidity_z": young * deep * thin**3 / 12,
        "torsional_rigidity": shear * deep * thin**3 / 3 * (1 - 0.63 * thin / deep),
        "polar_inertia": 10.0,
        "torsion": True,
        "bending": "yz",
        "discretization": fb.StrainModes(3),
    }
    model = fb.Model("frame")
    ground, leg = model.add(fb.Ground("ground")), model.add(fb.FlexibleBeam("leg", **sizes))
    corner = model.add(fb.FixedTransform("corner", rotation=(0, 0, -math.pi / 2)))
    arm, load = model.add(fb.FlexibleBeam("arm", **sizes)), model.add(fb.WorldForce("load"))
    model.connect(ground.frame_b, leg.frame_a)
    model.connect(leg.frame_b, corner.frame_a)
    model.connect(corner.frame_b, arm.frame_a)
    model.connect(arm.frame_b, load.frame_a)
    dae = fb.assemble(model)
    for largest, published in ((3.0, 1.088), (-2.0, -0.680)):
        found = fb.buckling_load(dae, "load.force_x", largest=largest)
        assert found.load == pytest.approx(published, rel=0.01)


@pytest.mark.parametrize("scale", [1e-3, 1e3])
def test_a_shallow_truss_snaps_through(scale: float) -> None:
    """Two springs to a slide above their feet: the equilibria end where the length is the cube root of l a^2."""
    across, height, stiffness = 1.0 * scale, 0.3 * scale, 200.0
    model = fb.Model("truss")
    ground, slide = model.add(fb.Ground("ground")), model.add(fb.Prismatic("slide", axis=(0, 1, 0)))
    top, load = model.add(fb.LumpedMass("top", mass=1.0)), model.add(fb.WorldForce("load"))
    free = math.hypot(across, height)
    apex = model.add(fb.FixedTransform("apex", (0, height, 0)))
    model.connect(ground.frame_b, slide.frame_a)
    model.connect(slide.frame_b, apex.frame_a)
    model.connect(apex.frame_b, top.frame_a)
    model.connect(apex.frame_b, load.frame_a)
    for side in (-1, 1):
        foot = model.add(fb.FixedTransform("left" if side < 0 else "right", (side * across, 0, 0)))
        spring = model.add(fb.SpringDamper(f"{foot.name}_spring", stiffness=stiffness, free_length=free))
        model.connect(ground.frame_b, foot.frame_a)
        model.connect(foot.frame_b, spring.frame_a)
        model.connect(apex.frame_b, spring.frame_b)
    found = fb.buckling_load(fb.assemble(model), "load.force_y")
    length = (free * across**2) ** (1 / 3)
    expected = 2 * stiffness * (free - length) * math.sqrt(length**2 - across**2) / length
    assert found.load == pytest.approx(-expected, rel=1e-6)
    assert found.kind == "divergence"


def test_refusals() -> None:
    linear = column(fb.AssumedModes(2))
    with pytest.raises(ComputationError, match=r"keeps its stiffness .* stiffening=True"):
        fb.buckling_load(linear, "load.force_x")
    with pytest.raises(NameUnknownError, match=r"load\.force_y"):
        fb.buckling_load(linear, "load.force_w")
    with pytest.raises(ParameterError, match="largest = 0"):
        fb.buckling_load(linear, "load.force_x", largest=0.0)
    model = fb.Model("free")
    ground, hinge = model.add(fb.Ground("ground")), model.add(fb.Revolute("hinge"))
    link, load = model.add(fb.RigidLink("link", length=1.0, mass=1.0)), model.add(fb.WorldForce("load"))
    model.connect(ground.frame_b, hinge.frame_a)
    model.connect(hinge.frame_b, link.frame_a)
    model.connect(link.frame_b, load.frame_a)
    with pytest.raises(ComputationError, match="motion without stiffness"):
        fb.buckling_load(fb.assemble(model), "load.force_x")
