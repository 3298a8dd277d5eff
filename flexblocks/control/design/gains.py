"""Gains from user input: one for each name (a number, a sequence or a dict), or a matrix (an array or a dict)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from flexblocks.errors import NameUnknownError, ParameterError, listing, suggestion


def gains(values: Any, names: Sequence[str], where: str, positive: bool = False) -> np.ndarray:
    """Return a gain (k,) for each of the k names.

    Raises
    ------
    ParameterError
        Some gain is missing, not finite, or negative (with `positive`: not > 0).
    NameUnknownError
        A dict with an unknown name.
    """
    # A dict becomes a list in the order of the names.
    if isinstance(values, Mapping):
        for name in values:
            if name not in names:
                raise NameUnknownError(f"{where}: there is no '{name}'{suggestion(name, names)}")
        if missing := [name for name in names if name not in values]:
            raise ParameterError(f"{where}: no value for {listing(missing)}; must be a number for each name.")
        values = [values[name] for name in names]
    # Values that are not numbers become an array that fails the shape test below.
    try:
        array = np.array(values, dtype=float)
        array = np.full(len(names), array) if array.ndim == 0 else array
    except (TypeError, ValueError, OverflowError):
        array = np.zeros((0, 0))
    least = "> 0" if positive else ">= 0"
    fits = array.shape == (len(names),) and np.all(np.isfinite(array))
    if not fits or np.any(array < 0) or (positive and np.any(array == 0)):
        raise ParameterError(
            f"{where} = {values!r}; must be a finite number {least}, or {len(names)} of them, in the order "
            f"{listing(names)}, or a dict by name."
        )
    return array


def gain_matrix(
    values: Any, rows: Sequence[str], columns: Sequence[str], where: str, of_rows: str, of_columns: str
) -> np.ndarray:
    """Return a gain matrix (rows, columns) from an array, or from a dict by row of dicts by column, the rest 0.

    Parameters
    ----------
    values : array or dict
    rows, columns : sequence of str
        Names of the variables that rows and columns belong to.
    where, of_rows, of_columns : str
        The gain, and what its rows and columns are, for messages.

    Raises
    ------
    ParameterError
        Another shape, or something that is not a finite number.
    NameUnknownError
        A dict with an unknown name.
    """
    if isinstance(values, Mapping):
        array = np.zeros((len(rows), len(columns)))
        for row, entries in values.items():
            _refuse_unknown(row, rows, where)
            if not isinstance(entries, Mapping):
                raise ParameterError(
                    f"{where}[{row}] = {entries!r}; must be a dict by {of_columns} ({listing(columns)}), such as "
                    f"{{{columns[0]!r}: 1.0}}."
                )
            for column, value in entries.items():
                _refuse_unknown(column, columns, f"{where}[{row}]")
                array[rows.index(row), columns.index(column)] = _number(value, f"{where}[{row}][{column}]")
        return array
    try:
        array = np.array(values, dtype=float)
        shape = f"is of shape {array.shape}"
    except (TypeError, ValueError):
        array, shape = np.zeros((0, 0, 0)), f"= {values!r}"
    expected = (len(rows), len(columns))
    if array.shape != expected:
        raise ParameterError(
            f"{where} {shape}; must be {expected}: a row for each of the {of_rows} {listing(rows)}, a column for each "
            f"of the {of_columns} {listing(columns)}; or a dict by name of dicts by name."
        )
    if not np.all(np.isfinite(array)):
        row, column = np.argwhere(~np.isfinite(array))[0]
        raise ParameterError(
            f"{where}: the gain of {rows[row]}, {columns[column]} is {array[row, column]}; must be finite."
        )
    return array


def _refuse_unknown(name: Any, names: Sequence[str], where: str) -> None:
    if name not in names:
        raise NameUnknownError(f"{where}: there is no '{name}'{suggestion(name, names)}")


def _number(value: Any, where: str) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = np.nan
    if isinstance(value, (str, bytes, bool)) or not np.isfinite(number):
        raise ParameterError(f"{where} = {value!r}; must be a finite number.")
    return number
