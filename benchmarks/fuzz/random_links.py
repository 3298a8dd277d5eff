"""Random links: rods, bodies and beams with all discretisations and options."""

from __future__ import annotations

from typing import Any

import flexblocks as fb
from benchmarks.fuzz.draw import Draw
from flexblocks.beam.discretization import Discretization

Link = fb.RigidLink | fb.RigidBody | fb.FlexibleBeam | fb.SlidingBeam


def random_link(draw: Draw, name: str) -> Link:
    """Return a link of any kind, from `frame_a` to `frame_b`."""
    length, mass = draw.size(0.7), draw.size(1.0)
    kind = draw.one_of(("rod", "body", "free body", "sliding", *("beam",) * 6))
    if kind == "rod":
        return fb.RigidLink(name, length, mass)
    if kind == "body":
        return fb.RigidLink(name, length, mass, draw.inertia(mass, length), center=draw.within(-0.2, 1.2) * length)
    if kind == "free body":
        sizes = {"center": draw.vector(0.5 * length), "reach": draw.vector(length)}
        return fb.RigidBody(name, mass=mass, inertia=draw.inertia(mass, length), **sizes)
    if kind == "sliding":
        return _sliding_beam(draw, name, length)
    chosen = draw.one_of((fb.Rigid(), *(_discretization(draw) for _ in range(5))))
    return fb.FlexibleBeam(
        name,
        length=length,
        discretization=chosen,
        bending=_bending(draw),
        damping_ratio=draw.one_of((0.0, 0.0, 0.02, 0.3)),
        stiffening=draw.chance(0.3),
        **_properties(draw, length, chosen.can_shear),
        **_loads(draw, length),
    )


def _bending(draw: Draw) -> str:
    return "y" if draw.flat else draw.one_of(("y", "z", "yz"))


def _discretization(draw: Draw) -> Discretization:
    n = int(draw.rng.integers(1, 4))
    tip = draw.one_of(("free", "auto", "auto", "pinned", fb.TipBody(draw.size(0.4), draw.size(0.02))))
    return draw.one_of((fb.AssumedModes(n, tip=tip), fb.FiniteElements(n), fb.RigidSegments(n), fb.StrainModes(n)))


def _sliding_beam(draw: Draw, name: str, length: float) -> fb.SlidingBeam:
    kinds = (fb.Rigid(), fb.FiniteElements(2), *(fb.AssumedModes(2, tip=tip) for tip in ("free", "auto")))
    chosen = draw.one_of(kinds)
    shapes = draw.one_of(("fixed", "algebraic", "ode")) if isinstance(chosen, fb.AssumedModes) else "fixed"
    more: dict[str, Any] = {}
    if draw.chance(0.3):
        more |= {"shear": True, "shear_rigidity": draw.size(2e3)}
    if not draw.flat and draw.chance(0.3):
        more |= {"torsion": True, "torsional_rigidity": draw.size(15.0), "polar_inertia": draw.size(1e-3)}
    return fb.SlidingBeam(
        name,
        length=length,
        linear_density=draw.size(1.0),
        flexural_rigidity=draw.size(20.0),
        discretization=chosen,
        bending=_bending(draw),
        shapes=shapes,
        damping=draw.size_or_zero(0.3),
        start=draw.within(0.2, 0.8) * length,
        **more,
    )


def _properties(draw: Draw, length: float, can_shear: bool) -> dict[str, Any]:
    """Return what a beam is made of: a section with its material, or numbers, constant or along the beam."""
    options = {
        "axial": draw.chance(0.3),
        "torsion": not draw.flat and draw.chance(0.3),
        "shear": can_shear and draw.chance(0.3),
        "rotary_inertia": draw.chance(0.3),
    }
    if draw.chance(0.4):
        inner = draw.one_of((_rectangle, _tube, _i_section))(draw)
        outer = type(inner)(**{name: 0.7 * value for name, value in vars(inner).items()})
        table = draw.one_of((inner, ((0.0, inner), (length, outer))))
        ratio = draw.within(0.0, 0.45)
        material = fb.Material(density=draw.size(3e3), youngs_modulus=draw.size(1e9), poissons_ratio=ratio)
        return {**options, "section": table, "material": material}
    numbers: dict[str, Any] = {
        "linear_density": _along(draw, 1.0, length),
        "flexural_rigidity": _along(draw, 20.0, length),
    }
    needed = {
        "axial": {"axial_rigidity": 1e4},
        "torsion": {"torsional_rigidity": 10.0, "polar_inertia": 1e-4},
        "shear": {"shear_rigidity": 1e4},
        "rotary_inertia": {"section_inertia": 1e-4},
    }
    for option, sizes in needed.items():
        if options[option]:
            numbers |= {name: draw.size(size) for name, size in sizes.items()}
    if draw.chance(0.3):
        numbers["flexural_rigidity_z"] = draw.size(20.0)
    return {**options, **numbers}


def _along(draw: Draw, typical: float, length: float) -> Any:
    """Return a number, a table with a step, or a table that falls to zero at the tip."""
    size = draw.size(typical)
    step = 0.4 * length
    tables = (((0.0, size), (step, 0.8 * size), (step, 0.3 * size), (length, 0.2 * size)), ((0.0, size), (length, 0.0)))
    return draw.one_of((size, size, size, *tables))


def _rectangle(draw: Draw) -> fb.Rectangle:
    return fb.Rectangle(width=draw.size(0.02), height=draw.size(0.02))


def _tube(draw: Draw) -> fb.Tube:
    outer = draw.size(0.03)
    return fb.Tube(outer=outer, inner=outer * draw.one_of((0.0, 0.5, 0.95)))


def _i_section(draw: Draw) -> fb.ISection:
    height, width = draw.size(0.03), draw.size(0.02)
    return fb.ISection(
        height=height, width=width, web=draw.within(0.05, 0.6) * width, flange=draw.within(0.05, 0.4) * height
    )


def _loads(draw: Draw, length: float) -> dict[str, Any]:
    options: dict[str, Any] = {}
    if draw.chance(0.2):
        options["load_y"] = draw.one_of(("input", draw.size(1.0)))
    if not draw.flat and draw.chance(0.1):
        options["load_z"] = draw.size(1.0)
    if draw.chance(0.15):
        options["internal_forces"] = (0.0, 0.5 * length)
    return options
