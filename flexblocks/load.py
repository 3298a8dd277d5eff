"""Opening any file of ours by its format: models, motions, plans, fits, linear models, grids of these, studies."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from flexblocks.errors import FileFormatError, listing
from flexblocks.files import expanded
from flexblocks.libraries import xr

SUFFIXES = (".yaml", ".yml", ".json", ".nc", ".csv", ".zarr")  # beside those of linear models


def load(path: str | Path, types: Iterable[type] = ()) -> Any:
    """Open any file that flexblocks has written.

    Nothing in a file runs code.

    Parameters
    ----------
    path : str or Path
        ``~`` stands for the home directory.
    types : iterable of type
        Blocks, discretisations and sections of your own that the file names, beside those of the library.

    Returns
    -------
    Model
        Of ``model.save("arm.yaml")``, or ``.json``.
    Trajectory
        Of ``run.save("run.nc")``, with its arm, or ``.csv``. Closed loops of control, and arms with functions among
        their parameters, are in no file: ``run.of(dae)`` gives the motion its arm.
    Plan
        Of ``plan.save("plan.nc")``, to be replayed, audited or solved again.
    LinearModel
        Of ``lin.save("arm.mat")``, ``.json`` or ``.npz``; ``lin.of(dae)`` gives it its arm.
    LinearGrid
        Of ``grid.save("grid.nc")``, with its arm.
    Fit, SpectralFit, RegressorFit
        Of ``fit.save("fit.nc")``, the first two with their arm; ``fit.of(dae)`` gives them one.
    xarray.Dataset
        The results of ``fb.study(..., store="study.zarr")``, or ``.nc``.

    Raises
    ------
    FileFormatError
        The file is not there, is not one of these, is damaged, or names what is unknown; the message says where.
    """
    types, suffix = tuple(types), expanded(path).suffix.lower()
    if suffix in (".yaml", ".yml", ".json"):
        return _document(path, types)
    if suffix == ".nc":
        return _netcdf(path, types)
    if suffix == ".csv":
        from flexblocks.simulation.trajectory_files import read_series

        return _trajectory(read_series(path), path, types)
    if suffix == ".zarr":
        from flexblocks.studies.stores.saved_study import open_zarr_store

        return open_zarr_store(path)
    return _linear_model(path, suffix)


def _document(path: str | Path, types: tuple[type, ...]) -> Any:
    from flexblocks.modeling.model_file import from_data, known_types
    from flexblocks.modeling.yaml_json import read_document

    known_types(types)  # refused before the file is read
    data = read_document(path)
    if isinstance(data, Mapping) and "Format" in data:
        return _linear_model(path, ".json")
    return from_data(data, f"{path}", types, expanded(path).parent)


def _linear_model(path: str | Path, suffix: str) -> Any:
    from flexblocks import LinearModel  # noqa: F401  (with the door before its methods)
    from flexblocks.export.formats import READABLE
    from flexblocks.export.linear import saved_linear

    if suffix not in READABLE:
        known = listing(dict.fromkeys([*SUFFIXES, *READABLE]))
        raise FileFormatError(f"{path}: suffix '{suffix}'; must be one of {known}.")
    return saved_linear(path)


def _netcdf(path: str | Path, types: tuple[type, ...]) -> Any:
    from flexblocks.netcdf_file import FORMAT, read_netcdf

    dataset = read_netcdf(path)
    holds = str(dataset.attrs.get(FORMAT))
    if holds not in NETCDF:
        raise FileFormatError(
            f"{path}: no file of flexblocks; must hold a {' or a '.join(NETCDF)}. A Dataset of your own is opened by "
            "xarray, and fb.Trajectory.from_xarray makes a motion of it."
        )
    return NETCDF[holds](dataset, path, types)


def _trajectory(dataset: xr.Dataset, path: str | Path, types: tuple[type, ...]) -> Any:
    from flexblocks.simulation.trajectory import saved_motion

    return saved_motion(dataset, path, types)


def _plan(dataset: xr.Dataset, path: str | Path, types: tuple[type, ...]) -> Any:
    from flexblocks.optim import Plan  # noqa: F401  (with the door before its methods)
    from flexblocks.optim.results.saved_plan import saved_plan

    return saved_plan(dataset, path, types)


def _grid(dataset: xr.Dataset, path: str | Path, types: tuple[type, ...]) -> Any:
    from flexblocks import LinearGrid  # noqa: F401  (with the door before its methods)
    from flexblocks.export.grid import saved_grid

    return saved_grid(dataset, path, types)


def _fit(dataset: xr.Dataset, path: str | Path, types: tuple[type, ...]) -> Any:
    from flexblocks import Fit  # noqa: F401  (with the door before its methods)
    from flexblocks.export.fit import saved_fit

    return saved_fit(dataset, path, types)


def _spectral_fit(dataset: xr.Dataset, path: str | Path, types: tuple[type, ...]) -> Any:
    from flexblocks import SpectralFit  # noqa: F401  (with the door before its methods)
    from flexblocks.export.spectral_fit import saved_spectral_fit

    return saved_spectral_fit(dataset, path, types)


def _regressor_fit(dataset: xr.Dataset, path: str | Path, types: tuple[type, ...]) -> Any:
    from flexblocks import RegressorFit  # noqa: F401  (with the door before its methods)
    from flexblocks.export.regressor_fit import saved_regressor_fit

    del types
    return saved_regressor_fit(dataset, path)


def _study(dataset: xr.Dataset, path: str | Path, types: tuple[type, ...]) -> Any:
    from flexblocks.studies.stores.saved_study import saved_study

    del path, types
    return saved_study(dataset)


# By the tag of a netCDF file.
NETCDF: dict[str, Callable[[xr.Dataset, str | Path, tuple[type, ...]], Any]] = {
    "trajectory": _trajectory,
    "plan": _plan,
    "linear grid": _grid,
    "study": _study,
    "fit": _fit,
    "spectral fit": _spectral_fit,
    "regressor fit": _regressor_fit,
}
