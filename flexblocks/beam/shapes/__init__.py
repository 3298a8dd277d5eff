"""Shape functions of beams and rods: modes, Hermite cubics, pseudo-joints, and their integrals.

Read `shape_functions` (what shape functions are, and their integrals), then any of those that the discretisations use:
`euler_bernoulli_modes`, `ritz_modes`, `hermite`, `hinges`, `axial_torsional`. Nothing here imports kinematics.
"""

from flexblocks.beam.shapes.axial_torsional import RodShapes
from flexblocks.beam.shapes.shape_functions import NoShapes, Shapes

__all__ = ["NoShapes", "RodShapes", "Shapes"]
