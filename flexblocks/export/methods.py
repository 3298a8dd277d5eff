"""Files that objects write of themselves in formats of other tools."""

from flexblocks.export.fit import save_fit
from flexblocks.export.grid import save_grid
from flexblocks.export.linear import save_linear
from flexblocks.lazy_package import register

register({"Fit.save": save_fit, "LinearGrid.save": save_grid, "LinearModel.save": save_linear})
