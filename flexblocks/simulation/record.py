"""Record: measured time series of an arm's inputs and outputs, by the model's names and units."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from flexblocks.argument_types import short
from flexblocks.errors import FileFormatError, NameUnknownError, ParameterError, listing, suggestion
from flexblocks.lazy_package import upper
from flexblocks.plausibility import computable, needed
from flexblocks.simulation.dataset import record_dataset, record_fields, variables_over_time
from flexblocks.simulation.measurements.columns import (
    Columns,
    csv_columns,
    netcdf_dataset,
    npz_columns,
    numbers,
    parquet_columns,
    seconds,
)
from flexblocks.simulation.measurements.low_pass import low_pass
from flexblocks.simulation.measurements.one_axis import (
    checked,
    even_times,
    held,
    interpolated,
    merged,
    offsets_of,
)
from flexblocks.simulation.measurements.rosbag import bag_signals
from flexblocks.simulation.trajectory import Trajectory

if TYPE_CHECKING:
    import xarray as xr


@dataclass(frozen=True, eq=False, init=False, repr=False)
class Record:
    """Measured time series of an arm: inputs and measurements, in the names and units of its model.

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
    def from_signals(
        cls,
        u: Mapping[str, tuple[Any, Any]] | None = None,
        y: Mapping[str, tuple[Any, Any]] | None = None,
        *,
        offsets: Mapping[str, float] | None = None,
        units: Mapping[str, str] | None = None,
        name: str = "record",
    ) -> Record:
        """Return the record of signals that have times of their own.

        Parameters
        ----------
        u, y : dict of (array (m,), array (m,)), optional
            Times [s] and values of each input, and of each measured variable.
        offsets : dict of float, optional
            By how much the clock of a signal is ahead [s]; it is taken off its times.
        units : dict of str, optional
        name : str

        Returns
        -------
        Record
            Over the times of all samples together: a measured variable is nan where it was not sampled, an input holds
            from sample to sample. It begins where all inputs are known and ends one interval after the last sample of
            an input. `resampled` brings it to one rate.

        Raises
        ------
        ParameterError
            Times that do not rise, values of another number, or inputs that are never known at once.
        """
        groups = _mapping(u, "u"), _mapping(y, "y")
        ahead = offsets_of(offsets, [each for group in groups for each in group])
        inputs, measured = (
            {each: checked(each, *_pair(each, pair), ahead[each]) for each, pair in group.items()} for group in groups
        )
        if not inputs and not measured:
            raise ParameterError("Record.from_signals: neither u nor y has a signal; give one at least.")
        t, held_ones, with_gaps = merged(inputs, measured)
        return cls(t, held_ones, with_gaps, units=units, name=name)

    @classmethod
    def from_csv(
        cls,
        path: str | Path,
        u: Mapping[str, str] | None = None,
        y: Mapping[str, str] | None = None,
        time: str | Mapping[str, str] = "time",
        *,
        offsets: Mapping[str, float] | None = None,
        units: Mapping[str, str] | None = None,
    ) -> Record:
        """Return the record in a CSV file whose first line names its columns.

        Parameters
        ----------
        path : str or Path
        u, y : dict of str, optional
            The column of each input, and of each measured variable, by its name in the model, in the model's unit.
            Empty fields of measured variables are gaps.
        time : str or dict of str
            Column of the times [s], or that of each variable by name, where they were sampled by themselves; see
            `from_signals`.
        offsets : dict of float, optional
            By how much the clock of a variable is ahead [s]; it is taken off its times.
        units : dict of str, optional

        Raises
        ------
        FileFormatError
            The file cannot be read, lacks a column, or has one that is not of numbers.
        """
        return cls._of_columns(path, csv_columns(path), u, y, time, offsets, units)

    @classmethod
    def from_parquet(
        cls,
        path: str | Path,
        u: Mapping[str, str] | None = None,
        y: Mapping[str, str] | None = None,
        time: str | Mapping[str, str] = "time",
        *,
        offsets: Mapping[str, float] | None = None,
        units: Mapping[str, str] | None = None,
    ) -> Record:
        """Return the record in a Parquet file, as `from_csv`; dates become seconds after the first of them.

        Raises
        ------
        FileFormatError
            As for `from_csv`.
        MissingExtraError
            The library pyarrow is not installed.
        """
        return cls._of_columns(path, parquet_columns(path), u, y, time, offsets, units)

    @classmethod
    def from_npz(
        cls,
        path: str | Path,
        u: Mapping[str, str] | None = None,
        y: Mapping[str, str] | None = None,
        time: str | Mapping[str, str] = "time",
        *,
        offsets: Mapping[str, float] | None = None,
        units: Mapping[str, str] | None = None,
    ) -> Record:
        """Return the record in a file of `numpy.savez`, whose arrays (k,) take the place of columns in `from_csv`.

        Raises
        ------
        FileFormatError
            As for `from_csv`.
        """
        return cls._of_columns(path, npz_columns(path), u, y, time, offsets, units)

    @classmethod
    def from_rosbag(
        cls,
        path: str | Path,
        u: Mapping[str, str] | None = None,
        y: Mapping[str, str] | None = None,
        *,
        clock: Literal["header", "log"] = "header",
        offsets: Mapping[str, float] | None = None,
        units: Mapping[str, str] | None = None,
    ) -> Record:
        """Return the record in a bag of ROS 1 or ROS 2; each topic has its own times, see `from_signals`.

        Parameters
        ----------
        path : str or Path
            A ``.bag`` file of ROS 1, or the folder of a bag of ROS 2.
        u, y : dict of str, optional
            Topic and field of each variable: ``"/joint_states:position[shoulder]"``, ``"/command:data[0]"``,
            ``"/imu:angular_velocity.z"``. Entries of arrays go by their place, or by the name that the message gives.
        clock : "header" or "log"
            Whether a message has the time in its header, of messages without one that of its recording; or all have
            that of the recording. Time 0 is the first message of all topics named.
        offsets : dict of float, optional
            By how much the clock of a variable is ahead [s]; it is taken off its times.
        units : dict of str, optional

        Raises
        ------
        FileFormatError
            The bag cannot be read, lacks a topic, or has no two messages of it.
        ParameterError
            A field that messages do not have, or that is no number.
        MissingExtraError
            The library rosbags is not installed.
        """
        inputs, measured = _mapping(u, "u"), _mapping(y, "y")
        signals = bag_signals(path, {**inputs, **measured}, clock)
        groups = ({name: signals[name] for name in group} for group in (inputs, measured))
        return cls.from_signals(*groups, offsets=offsets, units=units, name=Path(path).stem)

    @classmethod
    def _of_columns(
        cls,
        path: str | Path,
        columns: Columns,
        u: Mapping[str, str] | None,
        y: Mapping[str, str] | None,
        time: str | Mapping[str, str],
        offsets: Mapping[str, float] | None,
        units: Mapping[str, str] | None,
    ) -> Record:
        """Return the record of named columns of a file."""
        groups, where, name = (_mapping(u, "u"), _mapping(y, "y")), str(path), Path(path).stem
        known = [each for group in groups for each in group]
        clocks = dict(_mapping(time, "time")) if not isinstance(time, str) else dict.fromkeys(known, time)
        if lacking := [each for each in known if each not in clocks]:
            raise ParameterError(f"Record: time names no column of times for {listing(lacking)}; give one for each.")
        values = numbers(where, columns, [column for group in groups for column in group.values()])
        times = seconds(where, columns, list(dict.fromkeys(clocks.values())) or [str(time)])
        inputs, measured = ({n: values[column] for n, column in group.items()} for group in groups)
        try:
            if isinstance(time, str) and not offsets:
                return cls(times[time], inputs, measured, units=units, name=name)
            own = ({n: (times[clocks[n]], series) for n, series in group.items()} for group in (inputs, measured))
            return cls.from_signals(*own, offsets=offsets, units=units, name=name)
        except ParameterError as error:
            raise FileFormatError(f"{path}: {error}") from None

    def to_xarray(self) -> xr.Dataset:
        """Return an xarray Dataset: a variable over ``time`` for each name, with attributes ``units`` and ``group``.

        What is known of the start is its attribute ``x0``, as JSON.
        """
        return record_dataset(self)

    @classmethod
    def from_xarray(
        cls,
        dataset: xr.Dataset,
        u: Mapping[str, str] | None = None,
        y: Mapping[str, str] | None = None,
        *,
        offsets: Mapping[str, float] | None = None,
        units: Mapping[str, str] | None = None,
    ) -> Record:
        """Return the record in a Dataset of `to_xarray`, or in any other.

        Parameters
        ----------
        dataset : xarray.Dataset
        u, y : dict of str, optional
            The variable (k,) of each input, and of each measured one; its time is the coordinate of its dimension. By
            default all variables with the attribute ``group``, u or y, over the coordinate ``time``.
        offsets : dict of float, optional
            By how much the clock of a variable is ahead [s]; it is taken off its times.
        units : dict of str, optional
            By default the attributes ``units``.

        Raises
        ------
        FileFormatError
            The Dataset has no such variables, or one without times.
        """
        if u is None and y is None:
            try:
                return cls(**record_fields(dataset))
            except ParameterError as error:
                raise FileFormatError(f"Not the dataset of a record: {error}") from None
        named = {**_mapping(u, "u"), **_mapping(y, "y")}
        columns, time = variables_over_time(dataset, list(named.values()))
        told = {name: str(dataset[variable].attrs.get("units", "")) for name, variable in named.items()}
        clocks = {name: time[variable] for name, variable in named.items()}
        one = next(iter(clocks.values())) if len(set(clocks.values())) == 1 else clocks
        name = str(dataset.attrs.get("name", "record"))
        return cls._of_columns(name, columns, u, y, one, offsets, {**told, **_mapping(units, "units")})

    @classmethod
    def from_netcdf(
        cls,
        path: str | Path,
        u: Mapping[str, str] | None = None,
        y: Mapping[str, str] | None = None,
        *,
        offsets: Mapping[str, float] | None = None,
        units: Mapping[str, str] | None = None,
    ) -> Record:
        """Return the record in a netCDF file, see `from_xarray`.

        Raises
        ------
        FileFormatError
            The file cannot be read, or as for `from_xarray`.
        """
        dataset = netcdf_dataset(path)
        dataset.attrs.setdefault("name", Path(path).stem)
        return cls.from_xarray(dataset, u, y, offsets=offsets, units=units)

    def between(self, begin: float, end: float) -> Record:
        """Return the samples at times from `begin` to `end` [s], both included; what is known of the start stays there.

        Raises
        ------
        ParameterError
            There are fewer than two such samples.
        """
        inside = (self.t >= begin) & (self.t <= end)
        if np.count_nonzero(inside) < 2:
            raise ParameterError(
                f"Record.between: {np.count_nonzero(inside)} samples lie from {begin:g} to {end:g} s; there must be "
                f"two or more. The record goes from {self.t[0]:g} to {self.t[-1]:g} s."
            )
        u, y = ({name: series[inside] for name, series in group.items()} for group in (self.u, self.y))
        return Record(self.t[inside], u, y, self.x0 if inside[0] else None, self.units, self.name)

    def resampled(self, sample_time: float, longest_gap: float | None = None) -> Record:
        """Return the record at even times from its first on.

        Parameters
        ----------
        sample_time : float
            [s]. Nothing is filtered: what is faster than half the new rate has to be taken off before, see `filtered`.
        longest_gap : float, optional
            Largest distance [s] of two samples between which a measured variable is interpolated, linearly; by default
            twice its usual one, the median. In a longer gap, and beyond its ends, it is nan. Inputs hold from sample to
            sample.

        Raises
        ------
        ParameterError
            A sample time that is not > 0, or longer than the record.
        """
        span = self.t[-1] - self.t[0]
        if not 0 < sample_time <= span:
            raise ParameterError(f"Record.resampled: sample_time = {sample_time!r}; must be > 0 and <= {span:g} s.")
        if longest_gap is not None and not longest_gap > 0:
            raise ParameterError(f"Record.resampled: longest_gap = {longest_gap!r}; must be > 0 [s].")
        t = even_times(self.t, sample_time)
        u = {name: held(t, self.t, series) for name, series in self.u.items()}
        y = {name: interpolated(t, self.t, series, longest_gap) for name, series in self.y.items()}
        return Record(t, u, y, self.x0, self.units, self.name)

    def filtered(self, cutoff: float, names: Sequence[str] | str | None = None) -> Record:
        """Return the record without what is faster than `cutoff` [Hz], without delay.

        A Butterworth filter of fourth order runs over each variable forward and backward, between gaps by itself. At
        the cut-off it leaves half of an amplitude.

        Parameters
        ----------
        cutoff : float
            [Hz]
        names : sequence of str, optional
            By default all variables: an arm that is linear does to filtered inputs what it does to the inputs, so that
            filtered records may be compared with a model that is driven by them.

        Raises
        ------
        ParameterError
            Samples that are not even, or a cut-off beyond half their rate.
        NameUnknownError
            There is no variable of that name.
        """
        chosen = (*self.u, *self.y) if names is None else (names,) if isinstance(names, str) else tuple(names)
        of_name = {name: low_pass(name, self.t, self[name], float(cutoff)) for name in chosen}
        u, y = ({name: of_name.get(name, series) for name, series in group.items()} for group in (self.u, self.y))
        return Record(self.t, u, y, self.x0, self.units, self.name)

    @upper
    def plot(self, groups: Any = None, *, beside: Trajectory | None = None) -> Any:
        """Draw the time series, `beside` a simulated motion, and return the axes; see `flexblocks.plot.record`."""

    def __repr__(self) -> str:
        groups = f"{len(self.u)} inputs, {len(self.y)} measured"
        return f"Record({self.name!r}: {len(self)} samples from {self.t[0]:g} to {self.t[-1]:g} s, {groups})"


def _mapping(given: Any, argument: str) -> Mapping[str, Any]:
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise ParameterError(f"Record: {argument} = {short(given)}; must be a dict by name.")
    return given


def _pair(name: str, given: Any) -> tuple[np.ndarray, np.ndarray]:
    if not isinstance(given, (tuple, list)) or len(given) != 2:
        raise ParameterError(f"Record.from_signals: '{name}' = {short(given)}; must be a pair (times [s], values).")
    return _numbers(given[0], f"times of '{name}'"), _numbers(given[1], f"'{name}'")


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
