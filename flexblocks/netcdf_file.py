"""Datasets in netCDF files, with a tag of what they hold: written whole or not at all, read whole or refused."""

from __future__ import annotations

import errno
import os
import shutil
from pathlib import Path
from typing import Any

from flexblocks.errors import FileFormatError
from flexblocks.files import atomic_file, readable_file
from flexblocks.libraries import xr

FORMAT = "flexblocks"  # the attribute of a file, and the first entry of other files of ours, that says what it holds


def write_netcdf(path: str | Path, dataset: xr.Dataset, holds: str) -> None:
    """Write a dataset to a file, with the tag of what it holds: ``"trajectory"``, ``"plan"``.

    Arrays of numbers have checksums (HDF5's Fletcher-32), so that a reader refuses what has been damaged since.

    Raises
    ------
    FileFormatError
        See `atomic_file`.
    """
    dataset = dataset.assign_attrs({FORMAT: holds})
    with atomic_file(path) as unfinished:
        try:
            dataset.to_netcdf(unfinished, engine="netcdf4", encoding=_checksums(dataset))
        except PermissionError as error:  # which is what HDF5 says of a full disk
            if shutil.disk_usage(unfinished.parent).free > dataset.nbytes:
                raise
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)) from error


def _checksums(dataset: xr.Dataset) -> dict[str, dict[str, Any]]:
    """Return the encoding of the arrays of numbers; of texts the filter would check where they are, not what."""
    numbers = (name for name, variable in dataset.variables.items() if variable.size and variable.ndim)
    return {
        str(name): {**dataset[name].encoding, "fletcher32": True}
        for name in numbers
        if dataset[name].dtype.kind in "biuf"
    }


def read_netcdf(path: str | Path) -> xr.Dataset:
    """Return the dataset of a file, in memory.

    Raises
    ------
    FileFormatError
        The file is not there, cannot be read, is damaged or of another kind.
    """
    from netCDF4 import Dataset
    from xarray.backends import NetCDF4DataStore

    file = readable_file(path)
    content: Any = None
    try:
        # From memory: HDF5 remembers what it has read of a damaged file, and then refuses a whole one of that name.
        content = Dataset(file.name, memory=file.read_bytes())
        with xr.open_dataset(NetCDF4DataStore(content), decode_times=False) as dataset:
            return dataset.load()
    except Exception as error:  # each library behind xarray raises errors of its own on a damaged file
        raise FileFormatError(f"{path}: not a readable netCDF file: {error}.") from None
    finally:
        if content is not None and content.isopen():
            content.close()
