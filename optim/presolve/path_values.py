"""The path constraints of a problem, resolved against an arm: named values with limits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import cast

import casadi as ca
import numpy as np

from flexblocks.blocks.stations import HasStations
from flexblocks.dae.dae import DAE
from flexblocks.errors import NameUnknownError, listing, nearest
from flexblocks.statics.operating_point import OperatingPoint

from ..errors import ProblemError
from ..problem.path_constraints import Keep, KeepOut, PathConstraint, Within
from ..problem.signals import Instant, Signals, instant
from .equilibrium import loop_forces


@dataclass(frozen=True, eq=False)
class Path:
    """Named values of one instant and the limits that they keep.

    Attributes
    ----------
    at : Instant
    names : tuple of str
    values : SX (m, 1)
    low, high : ndarray (m,)
        Infinite where there is no limit.
    regions : tuple of Keep or None
        By value, what it is the distance from, if it is one.
    """

    at: Instant
    names: tuple[str, ...]
    values: ca.SX
    low: np.ndarray
    high: np.ndarray
    regions: tuple[Keep | None, ...]

    def __len__(self) -> int:
        return len(self.names)

    @cached_property
    def function(self) -> ca.Function:
        """Function (instant's vector, p) -> values (m, 1)."""
        return ca.Function("path", [self.at.vector, self.at.dae.p.symbol], [ca.densify(self.values)], {"cse": True})

    def at_rest(self, op: OperatingPoint, time: float) -> np.ndarray:
        """Return the values (m,) at rest."""
        n = self.at.dae.tree.size
        still = np.zeros(n), np.zeros(len(op.x) - 2 * n)
        y = np.concatenate([op.x, *still, op.z, loop_forces(self.at.dae, op), op.u, np.zeros_like(op.u), [time]])
        return np.array(self.function(y, op.p)).ravel()

    def excess(self, values: np.ndarray) -> np.ndarray:
        """Return by how much values (..., m) are beyond their limits; negative within."""
        return np.maximum(self.low - values, values - self.high)


# The path constraints of a motion that has none; nothing asks for the symbols of its values.
NO_PATH = Path(cast(Instant, None), (), ca.SX(0, 1), np.zeros(0), np.zeros(0), ())


def resolved_path(dae: DAE, ranges: Mapping[str, tuple[float, float]], constraints: tuple[PathConstraint, ...]) -> Path:
    """Return what limits by name and path constraints ask for along the way.

    Parameters
    ----------
    dae : DAE
    ranges : dict
        Limits (low, high) of what is no variable of the plan itself: outputs, places, accelerations.
    constraints : tuple

    Raises
    ------
    ProblemError
        A name that is not there.
    """
    return _resolved(dae, tuple(ranges.items()), constraints)


@lru_cache(maxsize=32)
def _resolved(
    dae: DAE, ranges: tuple[tuple[str, tuple[float, float]], ...], constraints: tuple[PathConstraint, ...]
) -> Path:
    at = instant(dae)
    signals = Signals(at)
    rows: list[tuple[str, ca.SX, float, float, Keep | None]] = []
    for name, (low, high) in ranges:
        rows.append((name, _signal(signals, name), low, high, None))
    labels = _labels(constraints)
    for label, one in zip(labels, constraints, strict=True):
        if isinstance(one, Within):
            rows.append((label, _expression(one, at), *one.range, None))
            continue
        side = "outside" if isinstance(one, KeepOut) else "inside"
        for frame in (*one.frames, *(point for link in one.links for point in _points(dae, link, one.stations))):
            values = getattr(one.region, side)(_position(signals, frame, one), one.margin)
            many = values.numel() > 1
            for i, value in enumerate(ca.vertsplit(values)):
                rows.append((f"{frame} {side} {label}{f' ({i + 1})' if many else ''}", value, 0.0, np.inf, one))
    names, values, low, high, regions = zip(*rows, strict=True) if rows else ((), (), (), (), ())
    return Path(at, names, ca.vertcat(*values, ca.SX(0, 1)), np.array(low), np.array(high), regions)


def _labels(constraints: tuple[PathConstraint, ...]) -> list[str]:
    """Return the labels, numbered where several are the same."""
    plain = [one.label for one in constraints]
    numbers = [plain[: i + 1].count(label) for i, label in enumerate(plain)]
    return [f"{label} {i}" if plain.count(label) > 1 else label for label, i in zip(plain, numbers, strict=True)]


def _signal(signals: Signals, name: str) -> ca.SX:
    try:
        return signals[name]
    except NameUnknownError as error:
        raise ProblemError(
            f"plan: limits: there is no input, input rate, state or output '{name}' ({listing(signals)}; and "
            f".x, .y, .z of places).{nearest(name, signals)}"
        ) from error


def _expression(one: Within, at: Instant) -> ca.SX:
    try:
        return one.expression.at(at)  # type: ignore[union-attr]
    except NameUnknownError as error:
        raise ProblemError(f"plan: path: Within {one.label}: {error}") from error


def _position(signals: Signals, frame: str, one: Keep) -> ca.SX:
    try:
        return signals.position(frame)
    except NameUnknownError as error:
        raise ProblemError(f"plan: path: {type(one).__name__} {one.label}: {error}") from error


def _points(dae: DAE, link: str, stations: int) -> list[str]:
    known = {body.name: body.terms.block for body in dae.tree.bodies if isinstance(body.terms.block, HasStations)}
    if link not in known:
        raise ProblemError(f"plan: path: there is no link '{link}' ({listing(known)}).{nearest(link, known)}")
    return [f"{link}.{outlet}" for outlet in known[link].centreline(stations)]
