"""Records as arrays in the order of an arm: what was measured, with gaps, and the inputs that acted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.errors import NameUnknownError, ParameterError, suggestion
from flexblocks.simulation.record import Record


@dataclass(frozen=True, eq=False)
class Recorded:
    """One record in arrays.

    Attributes
    ----------
    name : str
    t, steps : ndarray (n,)
        Times of the samples, and the time from each to the next [s]; after the last one as before it.
    y : ndarray (n, ny)
        Measured variables, 0 in gaps.
    known : ndarray of bool (n, ny)
        Where there is no gap.
    u : ndarray (n, nu)
        Inputs, which hold from each sample to the next.
    x0 : ndarray (nx,)
        State at the first sample, as far as it is known; start values of the model elsewhere.
    """

    name: str
    t: np.ndarray
    steps: np.ndarray
    y: np.ndarray
    known: np.ndarray
    u: np.ndarray
    x0: np.ndarray

    def __len__(self) -> int:
        return len(self.t)

    def part(self, first: int, last: int) -> Recorded:
        """Return samples `first` to `last`, without the latter."""
        rows = slice(first, last)
        return replace(
            self, t=self.t[rows], steps=self.steps[rows], y=self.y[rows], known=self.known[rows], u=self.u[rows]
        )

    def coarser(self, count: int) -> Recorded:
        """Return every `count`-th sample, with the means of the inputs between; what does not fill a step is left."""
        n = len(self) // count
        rows, whole = slice(0, n * count, count), slice(0, n * count)
        steps = self.steps[whole].reshape(n, count)
        u = np.einsum("nk,nki->ni", steps, self.u[whole].reshape(n, count, -1)) / steps.sum(axis=1)[:, None]
        return replace(self, t=self.t[rows], steps=steps.sum(axis=1), y=self.y[rows], known=self.known[rows], u=u)

    def shifted(self, y: np.ndarray, u: np.ndarray) -> Recorded:
        """Return it without offsets (ny,) of the measurements, and with what acts beyond the inputs (nu,)."""
        return replace(self, y=self.y - self.known * y, u=self.u + u)


def measured_names(records: Sequence[Record]) -> tuple[str, ...]:
    """Return the names of all that was measured in any record, in their order.

    Raises
    ------
    ParameterError
        There are no records, or one in which nothing was measured.
    """
    for number, record in enumerate(records, 1):
        if not any(np.isfinite(series).any() for series in record.y.values()):
            raise ParameterError(
                f"identify: record {number}, '{record.name}', has no measurement; give y={{name: ...}}."
            )
    if not records:
        raise ParameterError("identify: records is empty; must be a Record, or several.")
    return tuple(dict.fromkeys(name for record in records for name in record.y))


def recorded(dae: DAE, record: Record, measured: Sequence[str]) -> Recorded:
    """Return a record in arrays; what it does not measure of `measured` is a gap.

    Raises
    ------
    NameUnknownError
        The record lacks an input of the arm that is no disturbance, or knows the start of what is no state.
    """
    n = len(record)
    y = np.stack([record[name] if name in record else np.full(n, np.nan) for name in measured], axis=1)
    known = np.isfinite(y)
    columns = []
    for name, role, start in zip(dae.u.names, dae.u.roles, dae.u.start, strict=True):
        if name not in record.u and role != "disturbance":
            told = suggestion(name, record.u)
            raise NameUnknownError(f"identify: record '{record.name}' lacks the input '{name}' of '{dae.name}'{told}")
        columns.append(record.u[name] if name in record.u else np.full(n, float(start)))
    if unknown := [name for name in record.u if name not in dae.u]:
        told = suggestion(unknown[0], dae.u.names)
        raise NameUnknownError(f"identify: record '{record.name}': u: '{dae.name}' has no input '{unknown[0]}'{told}")
    x0 = dae.x.values(dict(record.x0), f"identify: record '{record.name}': x0: ")
    steps = np.append(np.diff(record.t), record.t[-1] - record.t[-2])
    u = np.stack(columns, axis=1) if columns else np.zeros((n, 0))
    return Recorded(record.name, record.t, steps, np.where(known, y, 0.0), known, u, x0)
