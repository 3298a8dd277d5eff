"""Outlines of beams: their true section, or a round one of their mass where there is none."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from flexblocks.beam.properties.box import Box
from flexblocks.beam.properties.profile import Distribution, mean
from flexblocks.beam.properties.section import ISection, Rectangle, Section, Tube
from flexblocks.plot.animation.mesh import Mesh, circle, joined, prism, rectangle

ALUMINIUM = 2700.0  # kg/m3: what a beam without a section is drawn as, solid and round
SLENDER, STOUT = 0.006, 0.03  # bounds of the radius of such a beam, in units of its length


def beam_mesh(block: Any, length: float, stations: int) -> Mesh:
    """Return the mesh of a beam on its stations 0 (its root) to `stations` (its end)."""
    xi = np.linspace(0.0, 1.0, stations + 1)
    definition = getattr(block.nominal, "section", None)
    if definition is None:
        radius = default_radius(block, length)
        return prism([circle(radius)] * len(xi), range(len(xi)), np.zeros(len(xi)), True)
    sections = Distribution(definition, block.nominal.length)
    pieces: list[list[tuple[np.ndarray, bool]]] = [_pieces(sections.value(float(place))) for place in xi]
    if len({len(each) for each in pieces}) > 1:  # sections of different kinds, with a jump between
        values = [sections.value(float(place)) for place in xi]
        pieces = [[(rectangle(2 * v.extreme_fibre("y"), 2 * v.extreme_fibre("z")), False)] for v in values]
    rows = zip(*pieces, strict=True)
    return joined([prism([o for o, _ in row], range(len(xi)), np.zeros(len(xi)), row[0][1]) for row in rows])


def beam_radius(block: Any, length: float) -> float:
    """Return half the mean thickness of a beam [m], for the size of the joints on it."""
    definition = getattr(block.nominal, "section", None)
    if definition is None:
        return default_radius(block, length)
    value = Distribution(definition, block.nominal.length).value(0.5)
    return (value.extreme_fibre("y") + value.extreme_fibre("z")) / 2


def default_radius(block: Any, length: float) -> float:
    """Return the radius [m] of a solid round rod of the beam's mass."""
    density = getattr(block.nominal, "linear_density", None)
    if density is None:
        return 0.012 * length
    average = mean(Distribution(density, block.nominal.length))
    return min(max(math.sqrt(max(average, 0.0) / ALUMINIUM / math.pi), SLENDER * length), STOUT * length)


def _pieces(section: Section) -> list[tuple[np.ndarray, bool]]:
    """Return the convex outlines that make up a section, each with whether it is round."""
    if isinstance(section, Tube):
        return [(circle(section.outer / 2), True)]
    if isinstance(section, (Rectangle, Box)):
        return [(rectangle(section.height, section.width), False)]
    if isinstance(section, ISection):
        flange = rectangle(section.flange, section.width)
        up = np.array([(section.height - section.flange) / 2, 0.0])
        return [
            (rectangle(section.height - section.flange, section.web), False),
            (flange + up, False),
            (flange - up, False),
        ]
    return [(rectangle(2 * section.extreme_fibre("y"), 2 * section.extreme_fibre("z")), False)]
