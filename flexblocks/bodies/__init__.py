"""Flexible bodies of any shape, reduced from finite elements to a few modes.

`flexible_body` is the value; `finite_elements` the matrices that it is made of, `reduction` their modes,
`inertia_integrals` what a body that moves needs of them, `kept_modes` the few that a block takes. Nothing here knows
blocks.
"""

from flexblocks.bodies.body_file import BodyFile
from flexblocks.bodies.flexible_body import FlexibleBody

# What `flexblocks` offers of them. Written out, so that editors complete these names.
__all__ = ["BodyFile", "FlexibleBody"]
