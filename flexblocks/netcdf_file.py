"""Datasets in netCDF files: written whole or not at all, read whole or refused."""

from __future__ import annotations

import errno
import os
import shutil
from pathlib import Path

from flexblocks.atomic_file import atomic_file
from flexblocks.errors import FileFormatError
from flexblocks.file_paths import readable_file
from flexblocks.libraries import xr


def write_netcdf(path: str | Path, dataset: xr.Dataset) -> None:
    """Write a dataset to a file.

    Raises
    ------
    FileFormatError
        See `atomic_file`.
    """
    with atomic_file(path) as unfinished:
        try:
            dataset.to_netcdf(unfinished)
        except PermissionError as error:  # which is what HDF5 says of a full disk
            if shutil.disk_usage(unfinished.parent).free > dataset.nbytes:
                raise
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)) from error


def read_netcdf(path: str | Path) -> xr.Dataset:
    """Return the dataset of a file, in memory.

    Raises
    ------
    FileFormatError
        The file is not there, cannot be read, is damaged or of another kind.
    """
    file = readable_file(path)
    try:
        with xr.open_dataset(file, decode_times=False) as dataset:
            return dataset.load()
    except Exception as error:  # each library behind xarray raises errors of its own on a damaged file
        raise FileFormatError(f"{path}: not a readable netCDF file: {error}.") from error
