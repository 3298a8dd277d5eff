"""What a filter makes of recorded data: estimates, their covariances, innovations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from flexblocks.errors import NameUnknownError, suggestion


@dataclass(frozen=True, eq=False)
class Filtered:
    """Estimates of a Kalman filter from recorded data.

    ``filtered["joint2.angle"]`` is the estimate (k,) of a state, ``filtered.deviation("joint2.angle")`` its standard
    deviation.

    Attributes
    ----------
    t : ndarray (k,)
        Times of the samples [s].
    x : ndarray (k, nx)
        Estimates at the samples, corrected by them.
    covariances : ndarray (k, nx, nx)
        Of their errors.
    innovations : ndarray (k, ny)
        Measured less predicted; nan where nothing was measured.
    innovation_covariances : ndarray (k, ny, ny)
        As the filter predicts them.
    nis : ndarray (k,)
        Normalised innovations squared. Of a consistent filter each is distributed as chi-square, with as many degrees
        of freedom as were measured.
    measured_count : ndarray of int (k,)
        How many variables were measured at each sample.
    states, measured : tuple of str
    units : dict of str
        Of the states, by name.
    """

    t: np.ndarray
    x: np.ndarray
    covariances: np.ndarray
    innovations: np.ndarray
    innovation_covariances: np.ndarray
    nis: np.ndarray
    measured_count: np.ndarray
    states: tuple[str, ...]
    measured: tuple[str, ...]
    units: Mapping[str, str]

    def __len__(self) -> int:
        return len(self.t)

    def __getitem__(self, name: str) -> np.ndarray:
        """Return the estimates (k,) of a state.

        Raises
        ------
        NameUnknownError
            The model has no such state.
        """
        return self.t if name == "time" else self.x[:, self._index(name)]

    def deviation(self, name: str) -> np.ndarray:
        """Return the standard deviations (k,) of the estimates of a state, as the filter predicts them.

        Raises
        ------
        NameUnknownError
            The model has no such state.
        """
        i = self._index(name)
        return np.sqrt(self.covariances[:, i, i])

    def unit(self, name: str) -> str:
        """Return the unit of a state.

        Raises
        ------
        NameUnknownError
            The model has no such state.
        """
        return "s" if name == "time" else self.units[self.states[self._index(name)]]

    def __repr__(self) -> str:
        mean = np.sum(self.nis) / max(np.sum(self.measured_count), 1)
        return (
            f"Filtered({len(self)} samples from {self.t[0]:g} to {self.t[-1]:g} s, {len(self.states)} states from "
            f"{len(self.measured)} measured; normalised innovations squared {mean:.3g} for each measured, 1 expected)"
        )

    def _index(self, name: str) -> int:
        if name not in self.states:
            raise NameUnknownError(f"Filtered: there is no state '{name}'{suggestion(name, self.states)}")
        return self.states.index(name)
