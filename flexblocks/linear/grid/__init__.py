"""Linear models over a grid of postures, inputs and parameters."""

from flexblocks.linear.grid.linear_grid import LinearGrid
from flexblocks.linear.grid.linearize_grid import linear_grid

__all__ = ["LinearGrid", "linear_grid"]
