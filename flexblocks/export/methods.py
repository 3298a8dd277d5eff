"""Files that objects write of themselves in formats of other tools."""

from flexblocks.export.fit import save_fit
from flexblocks.export.grid import save_grid
from flexblocks.export.linear import save_linear
from flexblocks.export.regressor_fit import save_regressor_fit
from flexblocks.export.spectral_fit import save_spectral_fit
from flexblocks.lazy_package import register

register(
    {
        "Fit.save": save_fit,
        "LinearGrid.save": save_grid,
        "LinearModel.save": save_linear,
        "RegressorFit.save": save_regressor_fit,
        "SpectralFit.save": save_spectral_fit,
    }
)
