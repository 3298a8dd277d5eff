"""Columns of measurement files by name: CSV, Parquet, NumPy's npz, netCDF; numbers, and times in seconds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from flexblocks.errors import FileFormatError, suggestion
from flexblocks.files import readable_file
from flexblocks.libraries import optional, pd, xr
from flexblocks.netcdf_file import read_netcdf

Columns = Mapping[str, np.ndarray]


def csv_columns(path: str | Path) -> Columns:
    """Return the columns (k,) of a CSV file by the names in its first line; empty fields are nan.

    Raises
    ------
    FileFormatError
        The file cannot be read.
    """
    try:
        return _of_frame(pd.read_csv(readable_file(path)))
    except (OSError, ValueError) as error:
        raise FileFormatError(f"{path}: not a CSV file with names in its first line ({error}).") from None


def parquet_columns(path: str | Path) -> Columns:
    """Return the columns (k,) of a Parquet file by name; missing values are nan.

    Raises
    ------
    FileFormatError
        The file cannot be read.
    MissingExtraError
        The library pyarrow is not installed.
    """
    optional("pyarrow", "Record.from_parquet")
    try:
        # The index of a table is often its time.
        frame = pd.read_parquet(readable_file(path), engine="pyarrow")
    except (OSError, ValueError) as error:
        raise FileFormatError(f"{path}: not a Parquet file ({error}).") from None
    return _of_frame(frame if set(frame.index.names) == {None} else frame.reset_index())


def npz_columns(path: str | Path) -> Columns:
    """Return the arrays of a file of `numpy.savez` by name.

    Raises
    ------
    FileFormatError
        The file cannot be read, or holds Python objects.
    """
    file = readable_file(path)
    try:
        with np.load(file, allow_pickle=False) as arrays:
            return {name: arrays[name] for name in arrays.files}
    except Exception as error:  # zipfile, zlib and NumPy raise errors of their own on a damaged file
        raise FileFormatError(f"{path}: not a file of numpy.savez with arrays of numbers ({error}).") from None


def netcdf_dataset(path: str | Path) -> xr.Dataset:
    """Return the Dataset of a netCDF file, with dates where a time has them ("seconds since ...").

    Raises
    ------
    FileFormatError
        The file cannot be read.
    """
    dataset = read_netcdf(path)
    if any("since" in str(variable.attrs.get("units", "")) for variable in dataset.variables.values()):
        dataset = xr.decode_cf(dataset, decode_timedelta=False)
    return dataset


def numbers(where: str, columns: Columns, wanted: Sequence[str]) -> dict[str, np.ndarray]:
    """Return columns (k,) of numbers by name.

    Parameters
    ----------
    where : str
        The file, for messages.
    columns : dict of array
    wanted : sequence of str

    Raises
    ------
    FileFormatError
        There is no such column, or it is not one of numbers.
    """
    return {name: _numbers(where, name, _column(where, columns, name)) for name in wanted}


def seconds(where: str, columns: Columns, wanted: Sequence[str]) -> dict[str, np.ndarray]:
    """Return columns (k,) of times [s] by name; dates become seconds after the earliest of all these columns.

    Raises
    ------
    FileFormatError
        There is no such column, it is neither of numbers nor of dates, or some are of numbers and some of dates.
    """
    found = {name: _column(where, columns, name) for name in wanted}
    dated = [name for name, values in found.items() if values.dtype.kind == "M"]
    if not dated:
        return {name: _numbers(where, name, values) for name, values in found.items()}
    if len(dated) < len(found):
        other = next(name for name in found if name not in dated)
        raise FileFormatError(f"{where}: '{dated[0]}' has dates, '{other}' numbers; times must be of one kind.")
    for name, values in found.items():
        if np.isnat(values).any():
            raise FileFormatError(f"{where}: column '{name}' lacks a date; each sample must have a time.")
    earliest = min(values.min() for values in found.values())
    return {name: (values - earliest) / np.timedelta64(1, "s") for name, values in found.items()}


def _of_frame(frame: pd.DataFrame) -> Columns:
    columns: dict[str, np.ndarray] = {}
    for name in frame.columns:
        series = frame[name]
        if isinstance(series.dtype, pd.DatetimeTZDtype):
            series = series.dt.tz_convert("UTC").dt.tz_localize(None)
        columns[str(name)] = series.to_numpy()
    return columns


def _column(where: str, columns: Columns, name: str) -> np.ndarray:
    if name not in columns:
        raise FileFormatError(f"{where}: there is no column '{name}'{suggestion(name, list(columns), 'it has')}")
    return np.asarray(columns[name])


def _numbers(where: str, name: str, values: Any) -> np.ndarray:
    if values.dtype.kind not in "M":
        try:
            return np.asarray(pd.Series(values) if values.ndim == 1 else values, dtype=float)
        except (TypeError, ValueError):
            pass
    raise FileFormatError(f"{where}: column '{name}' is not of numbers.")
