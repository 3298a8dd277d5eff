"""Flexible beams: the register of discretisations, cross-sections and materials.

A new one is a file and an entry here; `flexblocks`, model files and the command line take it from here. README.md says
in which order to read.
"""

from flexblocks.beam.assumed_modes import AssumedModes
from flexblocks.beam.discretization import Discretization, Rigid
from flexblocks.beam.finite_elements import FiniteElements
from flexblocks.beam.properties.box import Box
from flexblocks.beam.properties.material import Material
from flexblocks.beam.properties.section import ISection, Rectangle, Section, Tube
from flexblocks.beam.properties.tip_body import TipBody
from flexblocks.beam.rigid_segments import RigidSegments
from flexblocks.beam.strain_modes import StrainModes

# What `flexblocks` offers of them. Written out, so that editors complete these names.
__all__ = [
    "AssumedModes",
    "Box",
    "Discretization",
    "FiniteElements",
    "ISection",
    "Material",
    "Rectangle",
    "Rigid",
    "RigidSegments",
    "Section",
    "StrainModes",
    "TipBody",
    "Tube",
]

DISCRETIZATIONS: tuple[type[Discretization], ...] = (Rigid, AssumedModes, FiniteElements, RigidSegments, StrainModes)
SECTIONS: tuple[type[Section], ...] = (Rectangle, Tube, ISection, Box)
# What a model file may name besides blocks.
VALUES: tuple[type, ...] = (*DISCRETIZATIONS, *SECTIONS, Material, TipBody)
