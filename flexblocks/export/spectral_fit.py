"""Files of fits to frequency responses and modes: netCDF, with the arm."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from flexblocks.errors import FileFormatError
from flexblocks.identification.spectral.spectral_fit import SpectralFit
from flexblocks.libraries import pd, xr
from flexblocks.netcdf_file import write_netcdf
from flexblocks.simulation.saved_arm import arm_attribute, saved_arm

HOLDS, ATTRIBUTE = "spectral fit", "spectral_fit"
PLAIN = ("cost", "freedom", "undetermined", "converged", "costs")
BY_NAME = ("p", "units", "deviations")


def save_spectral_fit(fit: SpectralFit, path: str | Path) -> None:
    """Write a fit to frequency responses or modes to a ``.nc`` file; see `SpectralFit.save`."""
    if Path(path).suffix.lower() != ".nc":
        raise FileFormatError(f"{path}: suffix '{Path(path).suffix}'; a fit is saved as .nc (netCDF).")
    names, correlation = fit.correlations
    told = {
        "names": names,
        "residuals": fit.residuals.to_dict(orient="list"),
        **{name: getattr(fit, name) for name in PLAIN},
        **{name: dict(getattr(fit, name)) for name in BY_NAME},
    }
    attributes = {ATTRIBUTE: json.dumps(told), **arm_attribute(fit.dae)}
    write_netcdf(path, xr.Dataset({"correlation": (("parameter", "parameter_"), correlation)}, attrs=attributes), HOLDS)


def saved_spectral_fit(dataset: xr.Dataset, path: str | Path, types: Iterable[type] = ()) -> SpectralFit:
    """Return the fit in a file that `save_spectral_fit` wrote.

    Raises
    ------
    FileFormatError
        It is damaged, or needs types that are not there.
    """
    try:
        told = json.loads(dataset.attrs[ATTRIBUTE])
        return SpectralFit(
            dae=saved_arm(dataset.attrs, path, types),
            **{name: told[name] for name in BY_NAME},
            correlations=(tuple(told["names"]), np.array(dataset["correlation"].values)),
            residuals=pd.DataFrame(told["residuals"]),
            cost=told["cost"],
            freedom=told["freedom"],
            undetermined=tuple(told["undetermined"]),
            converged=told["converged"],
            costs=tuple(told["costs"]),
        )
    except (ValueError, KeyError, TypeError) as error:
        raise FileFormatError(f"{path}: the fit in it is damaged ({error!r}); save it again.") from None
