"""Record: measured time series of an arm's inputs and outputs, by the model's names and units."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from flexblocks.argument_types import short
from flexblocks.errors import FileFormatError, NameUnknownError, ParameterError, listing, suggestion
from flexblocks.plausibility import computable, needed
from flexblocks.simulation.trajectory import Trajectory

if TYPE_CHECKING:
    import xarray as xr


@dataclass(frozen=True, eq=False, init=False, repr=False)
class Record:
    """Measured time series of an arm: its inputs and what was measured, in the names and units of its model.

    ``record["joint1.angle"]`` is the time series (k,) of any of them, ``record["time"]`` that of the time.

    Parameters
    ----------
    t : array (k,)
        Rising times [s].
    u : dict of array (k,), optional
        Inputs by name, finite; each holds from its time to the next. A number holds throughout.
    y : dict of array (k,), optional
        What was measured, by the name of a state or output; nan where nothing was.
    x0 : dict of float, optional
        What is known of the state at the first time, by name.
    units : dict of str, optional
        Units by name, for tables and Datasets.
    name : str

    Raises
    ------
    ParameterError
        Times that do not rise, arrays of another length, values that are no numbers or infinite, a name among inputs
        and measurements at once.

    Examples
    --------
    >>> import numpy as np
    >>> import flexblocks as fb
    >>> t = np.arange(0, 1, 0.01)
    >>> record = fb.Record(t, u={"motor1.torque": 0.1 * np.sin(t)}, y={"joint1.angle": 0.01 * t**2})
    >>> record.names
    {'u': ('motor1.torque',), 'y': ('joint1.angle',)}
    >>> len(record)
    100
    """

    t: np.ndarray
    u: Mapping[str, np.ndarray]
    y: Mapping[str, np.ndarray]
    x0: Mapping[str, float]
    units: Mapping[str, str]
    name: str

    def __init__(
        self,
        t: Any,
        u: Mapping[str, Any] | None = None,
        y: Mapping[str, Any] | None = None,
        x0: Mapping[str, float] | None = None,
        units: Mapping[str, str] | None = None,
        name: str = "record",
    ) -> None:
        times = _numbers(t, "t")
        if times.ndim != 1 or len(times) < 2 or not computable(times) or not np.all(np.diff(times) > 0):
            raise ParameterError(f"Record: t = {short(t)}; must be two or more finite times that rise [s].")
        inputs = {n: _series(times, f"u[{n}]", value, gaps=False) for n, value in _mapping(u, "u").items()}
        measured = {n: _series(times, f"y[{n}]", value, gaps=True) for n, value in _mapping(y, "y").items()}
        if both := sorted(set(inputs) & set(measured)):
            raise ParameterError(f"Record: {listing(both)} is among u and y; must be one of them.")
        start = {n: _number(value, f"x0[{n}]") for n, value in _mapping(x0, "x0").items()}
        given = {"t": times, "u": inputs, "y": measured, "x0": start, "units": dict(_mapping(units, "units"))}
        for attribute, value in (given | {"name": name}).items():
            object.__setattr__(self, attribute, value)

    @property
    def names(self) -> dict[str, tuple[str, ...]]:
        """Names of the inputs ``u`` and of what was measured, ``y``."""
        return {"u": tuple(self.u), "y": tuple(self.y)}

    def __len__(self) -> int:
        return len(self.t)

    def __contains__(self, name: object) -> bool:
        return name == "time" or name in self.u or name in self.y

    def __getitem__(self, name: str) -> np.ndarray:
        """Return a time series (k,) by name.

        Raises
        ------
        NameUnknownError
            There is no variable of that name.
        """
        if name == "time":
            return self.t
        for group in (self.u, self.y):
            if name in group:
                return group[name]
        known = (*self.u, *self.y)
        raise NameUnknownError(f"Record '{self.name}': there is no variable '{name}'{suggestion(name, known)}")

    def unit(self, name: str) -> str:
        """Return the unit of a variable, "" where it was not given.

        Raises
        ------
        NameUnknownError
            There is no variable of that name.
        """
        _ = self[name]
        return "s" if name == "time" else self.units.get(name, "")

    @classmethod
    def from_trajectory(
        cls, trajectory: Trajectory, measured: Sequence[str], inputs: Sequence[str] | None = None
    ) -> Record:
        """Return what would have been measured on a simulated motion, without noise.

        Parameters
        ----------
        trajectory : Trajectory
        measured : sequence of str
            Names of states or outputs.
        inputs : sequence of str, optional
            Names of inputs, or of outputs that are inputs of the arm within a closed loop; by default all inputs.

        Raises
        ------
        NameUnknownError
            The trajectory has no such variable.
        """
        given = trajectory.names["u"] if inputs is None else tuple(inputs)
        u, y = ({name: trajectory[name] for name in names} for names in (given, measured))
        x0 = {name: float(trajectory[name][0]) for name in trajectory.names["x"]}
        units = {name: trajectory.unit(name) for name in (*u, *y)}
        return cls(trajectory.t, u, y, x0, units, trajectory.name)

    @classmethod
    def from_csv(
        cls,
        path: str | Path,
        u: Mapping[str, str] | None = None,
        y: Mapping[str, str] | None = None,
        time: str = "time",
    ) -> Record:
        """Return the record in a CSV file whose first line names its columns.

        Parameters
        ----------
        path : str or Path
        u, y : dict of str, optional
            The column of each input, and of each measured variable, by its name in the model, in the model's unit.
            Empty fields of measured variables are gaps.
        time : str
            Column of the times [s].

        Raises
        ------
        FileFormatError
            The file cannot be read, lacks a column, or has one that is not of numbers.
        """
        from flexblocks.simulation.dataset import csv_columns

        groups = [_mapping(given, argument) for given, argument in ((u, "u"), (y, "y"))]
        wanted = [time, *(column for group in groups for column in group.values())]
        columns = csv_columns(path, wanted)
        inputs, measured = ({name: columns[column] for name, column in group.items()} for group in groups)
        try:
            return cls(columns[time], inputs, measured, name=Path(path).stem)
        except ParameterError as error:
            raise FileFormatError(f"{path}: {error}") from None

    def to_xarray(self) -> xr.Dataset:
        """Return an xarray Dataset: a variable over ``time`` for each name, with attributes ``units`` and ``group``.

        What is known of the start is its attribute ``x0``, as JSON.
        """
        from flexblocks.simulation.dataset import record_dataset

        return record_dataset(self)

    @classmethod
    def from_xarray(cls, dataset: xr.Dataset) -> Record:
        """Return the record in a Dataset of `to_xarray`, or in any whose variables have ``group``, u or y.

        Raises
        ------
        FileFormatError
            The Dataset has no coordinate ``time``, or no such variables.
        """
        from flexblocks.simulation.dataset import record_fields

        try:
            return cls(**record_fields(dataset))
        except ParameterError as error:
            raise FileFormatError(f"Not the dataset of a record: {error}") from None

    def __repr__(self) -> str:
        groups = f"{len(self.u)} inputs, {len(self.y)} measured"
        return f"Record({self.name!r}: {len(self)} samples from {self.t[0]:g} to {self.t[-1]:g} s, {groups})"


def _mapping(given: Any, argument: str) -> Mapping[str, Any]:
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise ParameterError(f"Record: {argument} = {short(given)}; must be a dict by name.")
    return given


def _series(times: np.ndarray, where: str, value: Any, gaps: bool) -> np.ndarray:
    array = _numbers(value, where)
    if array.ndim == 0:
        array = np.full(len(times), float(array))
    if array.shape != times.shape:
        raise ParameterError(
            f"Record: {where} is of shape {array.shape}; must be {times.shape}, one value for each time."
        )
    known = array[~np.isnan(array)] if gaps else array
    if not computable(known):
        words = "finite, or nan where nothing was measured" if gaps else "finite"
        raise ParameterError(f"Record: {where} has values that are not finite; must be {needed(known, words)}.")
    return array


def _numbers(value: Any, where: str) -> np.ndarray:
    try:
        return np.array(value, dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise ParameterError(f"Record: {where} = {short(value)}; must be an array of numbers.") from None


def _number(value: Any, where: str) -> float:
    number = _numbers(value, where)
    if number.ndim or not computable(number):
        raise ParameterError(f"Record: {where} = {short(value)}; must be {needed(number, 'a finite number')}.")
    return float(number)
