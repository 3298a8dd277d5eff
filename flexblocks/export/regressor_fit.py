"""Files of fits of inertial and friction parameters: netCDF."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from flexblocks.errors import FileFormatError
from flexblocks.identification.rigid.regressor_fit import LinkInertia, RegressorFit
from flexblocks.libraries import xr
from flexblocks.netcdf_file import write_netcdf

HOLDS, ATTRIBUTE = "regressor fit", "regressor_fit"
BY_NAME = ("p", "units", "least_squares", "deviations", "standard", "residuals")


def save_regressor_fit(fit: RegressorFit, path: str | Path) -> None:
    """Write a fit of inertial and friction parameters to a ``.nc`` file; see `RegressorFit.save`."""
    if Path(path).suffix.lower() != ".nc":
        raise FileFormatError(f"{path}: suffix '{Path(path).suffix}'; a fit is saved as .nc (netCDF).")
    names, correlation = fit.correlations
    told = {
        "names": names,
        "excess": fit.excess,
        "links": {name: [link.mass, list(link.center), link.inertia.tolist()] for name, link in fit.links.items()},
        **{name: dict(getattr(fit, name)) for name in BY_NAME},
    }
    variables = {"correlation": (("parameter", "parameter_"), correlation)}
    write_netcdf(path, xr.Dataset(variables, attrs={ATTRIBUTE: json.dumps(told)}), HOLDS)


def saved_regressor_fit(dataset: xr.Dataset, path: str | Path) -> RegressorFit:
    """Return the fit in a file that `save_regressor_fit` wrote.

    Raises
    ------
    FileFormatError
        It is damaged.
    """
    try:
        told = json.loads(dataset.attrs[ATTRIBUTE])
        links = told["links"].items()
        return RegressorFit(
            **{name: told[name] for name in BY_NAME},
            correlations=(tuple(told["names"]), np.array(dataset["correlation"].values)),
            links={n: LinkInertia(mass, np.array(center), np.array(inertia)) for n, (mass, center, inertia) in links},
            excess=told["excess"],
        )
    except (ValueError, KeyError, TypeError) as error:
        raise FileFormatError(f"{path}: the fit in it is damaged ({error!r}); save it again.") from None
