"""Shapes that animations draw in place of the standard look of a body: their register.

They change nothing in the equations. A new one is a file, an entry here and one in
``plot/animation/shapes/body_shapes.py``.
"""

from flexblocks.shapes.mesh import Mesh
from flexblocks.shapes.primitives import Cuboid, Cylinder, Sphere
from flexblocks.shapes.shape import Shape

# What `flexblocks` offers of them. Written out, so that editors complete these names.
__all__ = ["Cuboid", "Cylinder", "Mesh", "Sphere"]

# What a model file may name.
SHAPES: tuple[type[Shape], ...] = (Cuboid, Cylinder, Mesh, Sphere)
