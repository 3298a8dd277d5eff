"""Arguments of steps and rollouts: checked, as arrays with an entry for each run, or one for all."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from flexblocks.constraints.consistent_state import consistent_state
from flexblocks.dae.dae import DAE
from flexblocks.errors import ParameterError, listing
from flexblocks.interfaces.variables import Variables
from flexblocks.plausibility import computable, needed


def parameter_rows(dae: DAE, p: Any, where: str) -> np.ndarray:
    """Return the parameters (runs or 1, np) of None, a dict of numbers or arrays (runs,), or an array (runs, np).

    Raises
    ------
    NameUnknownError, ParameterError
    """
    rows = _rows(dae.p, p, f"{where}: p")
    return np.array([dae.p.values(row, f"{where}: p: ") for row in rows]).reshape(len(rows), len(dae.p))


def start_rows(dae: DAE, x0: Any, p: np.ndarray, where: str) -> np.ndarray:
    """Return consistent start states (runs or 1, nx) for parameters (runs or 1, np); arguments as `parameter_rows`.

    Raises
    ------
    NameUnknownError, ParameterError
    ComputationError
        Loops cannot be closed there.
    """
    label = f"{where}: x0: "
    if x0 is None or (isinstance(x0, Mapping) and not any(np.ndim(value) for value in x0.values())):
        given: list[Any] = [x0]
    elif isinstance(x0, Mapping):
        # What a dict leaves out is free to move where loops are closed.
        columns = _rows(dae.x, x0, f"{where}: x0")[:, [dae.x.index(name) for name in x0]]
        given = [dict(zip(x0, row.tolist(), strict=True)) for row in columns]
    else:
        given = list(_rows(dae.x, x0, f"{where}: x0"))
    runs = max(len(given), len(p)) if len(given) == 1 or len(p) == 1 else len(given)
    if len(p) not in (1, runs):
        return np.zeros((len(given), len(dae.x)))  # numbers of runs differ, which `number_of_runs` refuses
    pairs = ((given[run % len(given)], p[run % len(p)]) for run in range(runs))
    return np.array([consistent_state(dae, one, values, label)[0] for one, values in pairs]).reshape(runs, len(dae.x))


def held_inputs(dae: DAE, U: Any, where: str) -> np.ndarray:
    """Return held inputs (runs or 1, samples, nu).

    Parameters
    ----------
    dae : DAE
    U : array (samples, nu) or (runs, samples, nu), or dict
        By name, numbers, arrays (samples,) or (runs, samples); inputs that are left out are 0.
    where : str

    Raises
    ------
    NameUnknownError, ParameterError
    """
    expected = f"(samples, {len(dae.u)}) or (runs, samples, {len(dae.u)}), in the order {listing(dae.u.names)}"
    if isinstance(U, Mapping):
        return _named_inputs(dae, U, where)
    values = _numbers(U, f"{where}: U", f"an array {expected}, or a dict by name")
    if values.ndim not in (2, 3) or values.shape[-1] != len(dae.u) or not values.shape[-2]:
        raise ParameterError(f"{where}: U is of shape {values.shape}; must be {expected}; or give a dict by name.")
    return np.ascontiguousarray(values if values.ndim == 3 else values[None])


def _named_inputs(dae: DAE, U: Mapping[str, Any], where: str) -> np.ndarray:
    wanted = "a number, or an array (samples,) or (runs, samples)"
    arrays = {name: _numbers(value, f"{where}: U[{name}]", wanted) for name, value in U.items()}
    for name in arrays:
        dae.u.index(name)
    try:
        shape = np.broadcast_shapes(*(array.shape for array in arrays.values()))
    except ValueError:
        shape = (0, 0, 0)
    if not 1 <= len(shape) <= 2 or not shape[-1]:
        shapes = ", ".join(f"{name}: {array.shape}" for name, array in arrays.items()) or "none is given"
        raise ParameterError(f"{where}: shapes of U ({shapes}); each must be {wanted}, one an array at least.")
    runs, samples = shape if len(shape) == 2 else (1, *shape)
    inputs = np.zeros((runs, samples, len(dae.u)))
    for name, array in arrays.items():
        inputs[:, :, dae.u.index(name)] = array
    return inputs


def number_of_runs(where: str, **rows: np.ndarray) -> int:
    """Return how many runs there are, of arrays with a row for each run or one for all.

    Raises
    ------
    ParameterError
        The numbers differ.
    """
    counts = {name: len(array) for name, array in rows.items()}
    runs = max(counts.values())
    if any(count not in (1, runs) for count in counts.values()):
        told = ", ".join(f"{name}: {count}" for name, count in counts.items())
        raise ParameterError(f"{where}: the numbers of runs differ ({told}); must be equal, or 1 for what all share.")
    return runs


def _rows(group: Variables, values: Any, where: str) -> np.ndarray:
    """Return values (runs or 1, n) of None, a dict of numbers or arrays (runs,), or an array (n,) or (runs, n)."""
    if values is None:
        return np.array(group.start, dtype=float)[None]
    if isinstance(values, Mapping):
        courses: dict[str, Any] = {name: value for name, value in values.items() if callable(value)}
        if group.kind == "parameter" and courses:
            group.values(courses, f"{where}: ")  # refuses them, and says where parameters change
        columns = {
            name: _numbers(value, f"{where}[{name}]", "a number or an array (runs,)") for name, value in values.items()
        }
        lengths = {array.size for array in columns.values() if array.ndim}
        if any(array.ndim > 1 for array in columns.values()) or len(lengths) > 1:
            shapes = ", ".join(f"{name}: {array.shape}" for name, array in columns.items())
            raise ParameterError(f"{where}: shapes ({shapes}); must be numbers, or arrays (runs,) of equal length.")
        rows = np.tile(np.array(group.start, dtype=float), (max(lengths, default=1), 1))
        for name, array in columns.items():
            rows[:, group.index(name)] = array
        return rows
    array = _numbers(values, where, f"a dict by name, or an array ({len(group)},) or (runs, {len(group)})")
    if array.ndim not in (1, 2) or array.shape[-1] != len(group):
        raise ParameterError(
            f"{where} is of shape {array.shape}; must be ({len(group)},) or (runs, {len(group)}), in the order "
            f"{listing(group.names)}; or give a dict by name."
        )
    return np.atleast_2d(array)


def _numbers(values: Any, where: str, expected: str) -> np.ndarray:
    try:
        array = np.asarray(values, dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise ParameterError(f"{where} is no array of numbers; must be {expected}.") from None
    if not computable(array):
        raise ParameterError(f"{where} has entries that are not finite; must be {needed(array)}.")
    return array
