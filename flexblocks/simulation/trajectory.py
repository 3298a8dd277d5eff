"""Trajectory: time series of states, inputs, outputs and energies, by name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from flexblocks.errors import FileFormatError, NameUnknownError, ParameterError, suggestion
from flexblocks.lazy_package import upper
from flexblocks.rich_display import Animated, RichDisplay, text_table
from flexblocks.simulation.signals.parameter_change import ParameterChange

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

    from flexblocks.dae.dae import DAE
    from flexblocks.modeling.model import Model

GROUPS = ("x", "z", "u", "y", "energy")
ENERGIES = ("kinetic_energy", "potential_energy", "work")


@dataclass(frozen=True, eq=False)
class Trajectory(RichDisplay, Animated):
    """Trajectory of an arm: its motion over time.

    ``traj["link1.bending_y[1]"]`` is the time series (k,) of any state, algebraic variable, input, output or energy,
    ``traj["time"]`` that of the time. At a discontinuity of an input, u, z and y are the limits from the right.

    Attributes
    ----------
    name : str
        Name of the arm.
    t : ndarray (k,)
        Times [s].
    x, z, u, y : ndarray (k, nx), (k, nz), (k, nu), (k, ny)
        States, algebraic variables, inputs and outputs, in the DAE's order.
    energy : ndarray (k, 3)
        Kinetic energy, potential energy, and the work of inputs (and of states and algebraic variables that exert
        forces) since the start [J]. Without damping, the sum of the first two grows by the third.
    names : dict of tuple of str
        Names of the columns of ``x``, ``z``, ``u``, ``y`` and ``energy``.
    units : dict of str
        Units by name.
    p : dict of float
        Values of the parameters that were symbolic, at the start.
    complete : bool
        False if the run ended early.
    dissipated : float or None
        Energy that the integration method took out of vibrations that its steps do not resolve [J]; None for methods
        that resolve all.
    damped_modes : tuple of float or None
        Frequencies [Hz] of the modes at the start that lose more than a tenth of their amplitude in a period by the
        steps of the method; None for methods whose steps follow a tolerance.
    changes : tuple of ParameterChange
        Changes of parameters on the way, which had the values ``p`` at the start: each with its time, the values before
        and after, and the energies before and after, between which its ``energy_jump`` is.
    dae : DAE or None
        The arm, for pictures of it; None for a motion read from a file, pickled or of a batch.
    """

    name: str
    t: np.ndarray
    x: np.ndarray
    z: np.ndarray
    u: np.ndarray
    y: np.ndarray
    energy: np.ndarray
    names: Mapping[str, tuple[str, ...]]
    units: Mapping[str, str]
    p: Mapping[str, float] = field(default_factory=dict)
    complete: bool = True
    dissipated: float | None = None
    damped_modes: tuple[float, ...] | None = None
    changes: tuple[ParameterChange, ...] = ()
    dae: DAE | None = field(default=None, repr=False, compare=False)

    def __getstate__(self) -> dict[str, Any]:
        # Motions are pickled by the thousand; none of them takes the arm along.
        return {**self.__dict__, "dae": None}

    @cached_property
    def _columns(self) -> dict[str, tuple[str, int]]:
        return {name: (group, i) for group in GROUPS for i, name in enumerate(self.names[group])}

    def __getitem__(self, name: str) -> np.ndarray:
        """Return a time series (k,) by name.

        Raises
        ------
        NameUnknownError
            There is no variable of that name.
        """
        if name == "time":
            return self.t
        group, column = self._column(name)
        return getattr(self, group)[:, column]

    def __contains__(self, name: object) -> bool:
        return name == "time" or name in self._columns

    def __len__(self) -> int:
        return len(self.t)

    def unit(self, name: str) -> str:
        """Return the unit of a variable.

        Raises
        ------
        NameUnknownError
            There is no variable of that name.
        """
        if name == "time":
            return "s"
        self._column(name)
        return self.units[name]

    def _column(self, name: str) -> tuple[str, int]:
        if name not in self._columns:
            raise NameUnknownError(
                f"Trajectory of '{self.name}': there is no variable '{name}'"
                f"{suggestion(name, self._columns)} The motion of frames, such as payload.velocity_x, is there if it "
                "is requested: simulate dae.with_outputs((...))."
            )
        return self._columns[name]

    def parameters_at(self, times: np.ndarray) -> np.ndarray:
        """Return the parameters (np, k) at times (k,) [s] of the motion, at a change those after it."""
        values = [dict(self.p)]
        for change in self.changes:
            values.append(values[-1] | {name: after for name, (_, after) in change.parameters.items()})
        rows = np.array([list(each.values()) for each in values]).reshape(len(values), len(self.p))
        return rows[np.searchsorted([change.time for change in self.changes], times, side="right")].T

    def to_xarray(self) -> xr.Dataset:
        """Return an xarray Dataset: a variable for each name over ``time``, with its unit as attribute ``units``.

        The model's name and the parameters are attributes of the Dataset.
        """
        from flexblocks.simulation.dataset import to_xarray

        return to_xarray(self)

    def to_pandas(self) -> pd.DataFrame:
        """Return a pandas DataFrame: a column for each name, over the time [s]; the units are in ``attrs["units"]``."""
        from flexblocks.simulation.dataset import to_pandas

        return to_pandas(self)

    @property
    def model(self) -> Model | None:
        """The model of the arm; None if `dae` is, or is a closed loop of control."""
        return None if self.dae is None else self.dae.model

    def of(self, dae: DAE) -> Trajectory:
        """Return this motion with the arm it is of, for pictures; see the attribute ``dae``.

        Raises
        ------
        ParameterError
            The arm has other states, algebraic variables or inputs.
        """
        for group, what in (("x", "states"), ("z", "algebraic variables"), ("u", "inputs")):
            if self.names[group] != getattr(dae, group).names:
                raise ParameterError(
                    f"Trajectory.of: the motion of '{self.name}' has other {what} than the DAE '{dae.name}'; must be "
                    "of the same arm, with the same control law. Give the DAE it came from."
                )
        return replace(self, dae=dae)

    @upper
    def plot(
        self, groups: Sequence[str | Sequence[str]] | None = None, *, limits: Mapping[str, Any] | None = None
    ) -> Any:
        """Draw variables over time, by default all that move, and return the axes; see `flexblocks.plot.stacked`."""

    def save(self, path: str | Path) -> None:
        """Write a netCDF (``.nc``) or CSV (``.csv``) file, which `flexblocks.load` opens.

        A netCDF file holds the arm, too, unless it is a closed loop of control or has functions among its parameters.

        Raises
        ------
        FileFormatError
            The suffix is neither of these.
        """
        from flexblocks.simulation.trajectory_files import save

        save(self, path)

    @classmethod
    def from_xarray(cls, dataset: xr.Dataset) -> Trajectory:
        """Return the trajectory in a Dataset of `to_xarray`, or in one run of a batch.

        Raises
        ------
        FileFormatError
            The Dataset is not one of a trajectory.
        """
        from flexblocks.simulation.dataset import trajectory_fields

        return cls(**trajectory_fields(dataset, GROUPS))

    def __str__(self) -> str:
        from flexblocks.simulation.dataset import ranges

        rows = ranges(self)
        changed = "".join(f"\n{change}" for change in self.changes)
        return f"{self!r}{self._damping}{changed}\n{text_table(list(rows[0]), [tuple(row.values()) for row in rows])}"

    @property
    def _damping(self) -> str:
        """Line of text that says what the method damped; nothing where it did not."""
        if self.dissipated is None:
            return ""
        modes = self.damped_modes or ()
        told = f"; it damps {len(modes)} modes, from {modes[0]:.4g} to {modes[-1]:.4g} Hz" if modes else ""
        return f"\nThe method took {self.dissipated:.3g} J out of vibrations{told}"

    def __repr__(self) -> str:
        groups = ", ".join(f"{len(self.names[g])} {w}" for g, w in (("x", "states"), ("u", "inputs"), ("y", "outputs")))
        ended = "" if self.complete else ", ended early"
        return f"Trajectory({self.name!r}: {len(self)} samples from {self.t[0]:g} to {self.t[-1]:g} s, {groups}{ended})"


def saved_motion(dataset: xr.Dataset, path: str | Path, types: Iterable[type] = ()) -> Trajectory:
    """Return the motion in a file that holds `dataset`, with its arm if the file has that.

    Parameters
    ----------
    dataset : Dataset
    path : str or Path
        Where it is, for messages.
    types : iterable of type
        Blocks of a user's own that its arm names.

    Raises
    ------
    FileFormatError
        The file is damaged.
    """
    from flexblocks.simulation.saved_arm import saved_arm

    try:
        motion = Trajectory.from_xarray(dataset)
    except FileFormatError as error:
        raise FileFormatError(f"{path}: {error}") from None
    arm = saved_arm(dataset.attrs, path, tuple(types))
    return motion if arm is None else motion.of(arm.with_outputs(motion.names["y"]))
