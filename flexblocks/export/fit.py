"""Files of fits: netCDF, with the arm."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from flexblocks.errors import FileFormatError
from flexblocks.identification.results.estimates import Attempt, Estimate, FittedRecord
from flexblocks.identification.results.fit import Fit
from flexblocks.identification.results.residual_tests import SignalResidual
from flexblocks.identification.results.undetermined import Undetermined
from flexblocks.libraries import xr
from flexblocks.netcdf_file import write_netcdf
from flexblocks.simulation.saved_arm import arm_attribute, saved_arm

HOLDS, ATTRIBUTE = "fit", "fit"
SERIES = ("measured", "predicted", "residuals")


def save_fit(fit: Fit, path: str | Path) -> None:
    """Write a fit to a file.

    Parameters
    ----------
    fit : Fit
    path : str or Path
        ``.nc``, netCDF, which `flexblocks.load` opens.

    Raises
    ------
    FileFormatError
        Another suffix.
    """
    if Path(path).suffix.lower() != ".nc":
        raise FileFormatError(f"{path}: suffix '{Path(path).suffix}'; a fit is saved as .nc (netCDF).")
    told: dict[str, Any] = {
        "records": [record.name for record in fit.records],
        "measured": fit.measured,
        "noise": dict(fit.noise),
        "given": dict(fit.given),
        **{name: getattr(fit, name) for name in ("method", "status", "cost")},
        **{name: [asdict(each) for each in getattr(fit, name)] for name in ("estimates", "undetermined", "residuals")},
        "attempts": [asdict(attempt) for attempt in fit.attempts],
    }
    variables: dict[str, Any] = {"covariance": (("unknown", "unknown_"), fit.covariance)}
    variables["widened"] = "unknown", fit.widened
    for i, record in enumerate(fit.records):
        variables[f"t{i}"] = f"time{i}", record.t
        variables |= {f"{name}{i}": ((f"time{i}", "signal"), getattr(record, name)) for name in SERIES}
    attributes = {ATTRIBUTE: json.dumps(told), **arm_attribute(fit.dae)}
    write_netcdf(path, xr.Dataset(variables, attrs=attributes), HOLDS)


def saved_fit(dataset: xr.Dataset, path: str | Path, types: Iterable[type] = ()) -> Fit:
    """Return the fit in a file that `save_fit` wrote.

    Raises
    ------
    FileFormatError
        It is damaged, or needs types that are not there.
    """
    try:
        told = json.loads(dataset.attrs[ATTRIBUTE])
        values = {name: dataset[name].values for name in map(str, dataset.variables)}
        records = tuple(
            FittedRecord(name, values[f"t{i}"], *(values[f"{series}{i}"] for series in SERIES))
            for i, name in enumerate(told["records"])
        )
        directions = [{**each, **{k: tuple(each[k]) for k in ("names", "changes")}} for each in told["undetermined"]]
        return Fit(
            saved_arm(dataset.attrs, path, types),
            tuple(Estimate(**each) for each in told["estimates"]),
            np.array(values["covariance"]),
            tuple(Undetermined(**each) for each in directions),
            tuple(SignalResidual(**each) for each in told["residuals"]),
            records,
            tuple(told["measured"]),
            told["noise"],
            told["method"],
            told["status"],
            told["cost"],
            tuple(Attempt(**each) for each in told["attempts"]),
            np.array(values["widened"]),
            told["given"],
        )
    except (ValueError, KeyError, TypeError) as error:
        raise FileFormatError(f"{path}: the fit in it is damaged ({error!r}); save it again.") from None
