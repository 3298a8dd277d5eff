"""Parameters of one run: constant, or constant between the times at which they change."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple, NoReturn

import numpy as np

from flexblocks.argument_types import short
from flexblocks.constraints.parameter_changes import inertia_change, opens_loops
from flexblocks.dae.dae import DAE
from flexblocks.errors import ParameterError, listing
from flexblocks.simulation.signals.inputs import separation
from flexblocks.simulation.signals.polynomial import PiecewisePolynomial

PICK_UPS = ("impact", "matched")


class Span(NamedTuple):
    """A part of a run with constant parameters `p` (np,): its `times` (k,) [s], and which of these are outputs."""

    times: np.ndarray
    are_outputs: np.ndarray
    p: np.ndarray


@dataclass(frozen=True, eq=False)
class Parameters:
    """Values of the symbolic parameters of a run.

    Attributes
    ----------
    changes : ndarray (m,)
        Times of their changes after the start of the run [s].
    values : ndarray (m + 1, np)
        Before the first change, and after each.
    pick_up : str
        ``"impact"`` or ``"matched"``, as of `flexblocks.simulate`.
    """

    changes: np.ndarray
    values: np.ndarray
    pick_up: str = "matched"

    def index_at(self, times: np.ndarray) -> np.ndarray:
        """Return the number of changes up to each time (k,) [s]; at a change it is that after it."""
        slack = separation(times[0], times[-1]) if len(times) else 0.0
        return np.searchsorted(self.changes, np.asarray(times) + slack, side="right")

    def at(self, time: float) -> np.ndarray:
        """Return the values (np,) at a time [s]."""
        return self.values[self.index_at(np.array([time]))[0]]

    def along(self, times: np.ndarray) -> np.ndarray:
        """Return the values (np, k) at times (k,) [s]."""
        return self.values[self.index_at(times)].T

    def parts(self, times: np.ndarray) -> list[tuple[slice, np.ndarray]]:
        """Return the parts of increasing times (k,) [s] between changes, with the values (np,) in each."""
        index = self.index_at(times)
        cuts = np.searchsorted(index, np.arange(len(self.values) + 1)).tolist()
        return [(slice(a, b), p) for (a, b), p in zip(pairwise(cuts), self.values, strict=True) if b > a]

    def spans(self, times: np.ndarray) -> list[Span]:
        """Return the parts of a run over the output `times` (k,) [s], which begin and end at changes."""
        found, ends = [], [times[0], *self.changes.tolist(), times[-1]]
        slack = separation(times[0], times[-1])
        for (begin, end), p in zip(pairwise(ends), self.values, strict=True):
            inner = times[(times > begin + slack) & (times < end - slack)]
            own = np.array([begin, *inner, end])
            last = end == times[-1]
            are = np.array([bool(np.any(np.abs(times - begin) <= slack)), *np.ones(len(inner), dtype=bool), last])
            found.append(Span(own, are, p))
        return found


def change(given: Any) -> bool:
    """Return whether parameters, `given` as for `flexblocks.simulate`, change during the run."""
    return isinstance(given, Mapping) and any(map(callable, given.values()))


def parameters(dae: DAE, given: Any, times: np.ndarray, where: str, pick_up: str = "matched") -> Parameters:
    """Return the parameters, some of which change, of a run over `times` (k,) [s].

    Raises
    ------
    NameUnknownError
        A parameter that the DAE does not have.
    ParameterError
        A value is neither a number nor piecewise constant, or out of its range; parameters do not change together.
    """
    courses = {}
    for name, value in given.items():
        dae.p.index(name)
        if callable(value):
            courses[name] = _checked(value, f"{where}: p: {name}")
    slack = separation(times[0], times[-1])
    points = np.unique(np.concatenate([course.pieces.x[1:-1] for course in courses.values()]))
    points = points[(points > times[0] + slack) & (points < times[-1] - slack)]
    changes = points[np.diff(points, prepend=-np.inf) > slack]
    ends = np.array([times[0], *changes, times[-1]])
    rows = []
    for begin, middle in zip(ends[:-1], (ends[:-1] + ends[1:]) / 2, strict=True):
        at = {name: float(course(middle)) for name, course in courses.items()}
        rows.append(dae.p.values(dict(given) | at, f"{where}: p, from t = {begin:.6g} s on: "))
    values = np.array(rows)
    changing = np.append(True, np.any(np.diff(values, axis=0) != 0.0, axis=1))
    return Parameters(changes[changing[1:]], values[changing], pick_up)


def refuse_changes(dae: DAE, p: Parameters, x: np.ndarray, where: str) -> None:
    """Refuse changes that open loops, or that move mass of the arm, in the posture of the state `x` (nx,).

    Raises
    ------
    ParameterError
    """
    q = x[: dae.tree.size]
    for time, before, after in zip(p.changes.tolist(), p.values[:-1], p.values[1:], strict=True):
        for k in np.flatnonzero(before != after):
            alone = before.copy()
            alone[k] = after[k]
            what = f"{where}: p: {dae.p.names[k]} changes from {before[k]:g} to {after[k]:g} at t = {time:.6g} s"
            if opens_loops(dae, q, before, alone, moves=True):
                raise ParameterError(
                    f"{what}, with which loops of '{dae.name}' come open. A linkage keeps its lengths; change what "
                    "moves no joint."
                )
            if all(inertia_change(dae, q, before, alone)):
                raise ParameterError(
                    f"{what}, which raises the inertia of some motions and lowers that of others: mass moves within "
                    "the arm, and nothing says what it takes along. Change masses and inertias, or model the motion "
                    "by a joint."
                )


def refuse_pick_up(pick_up: Any, where: str) -> NoReturn:
    """Refuse what cannot happen where a load is taken up.

    Raises
    ------
    ParameterError
    """
    raise ParameterError(f"{where}: pick_up = {pick_up!r}; must be one of {listing(PICK_UPS)}.")


def _checked(value: Any, where: str) -> PiecewisePolynomial:
    if not (isinstance(value, PiecewisePolynomial) and value.is_constant):
        raise ParameterError(
            f"{where} = {short(value)}; must be a number, or a fb.piecewise_constant where it changes during the run."
        )
    return value
