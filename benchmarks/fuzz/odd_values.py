"""Values of every type that somebody may pass by mistake."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import casadi as ca
import numpy as np
import pandas as pd
import xarray as xr

import flexblocks as fb


def _nested(depth: int) -> list:
    inner: list = []
    for _ in range(depth):
        inner = [inner]
    return inner


def _circular() -> list:
    circle: list = []
    circle.append(circle)
    return circle


class _Blank:
    """An object that can nothing."""


# Functions, since some of these can be used once only.
ODD: tuple[Callable[[], Any], ...] = (
    lambda: None, lambda: True, lambda: False, lambda: 0, lambda: -1, lambda: 3, lambda: 2.5, lambda: -0.0,
    lambda: 10**400, lambda: -(10**400), lambda: 10**5000, lambda: 1 << 70, lambda: 1e308, lambda: -1e308,
    lambda: 5e-324,
    lambda: float("nan"), lambda: float("inf"), lambda: float("-inf"), lambda: 1 + 2j, lambda: Decimal("1.5"),
    lambda: Fraction(1, 3), lambda: "", lambda: "x", lambda: "joint1.angle", lambda: "\0", lambda: "\ud800",
    lambda: "9" * 5000, lambda: "link1", lambda: "../x", lambda: "1", lambda: b"x", lambda: b"1",
    lambda: bytearray(b"ab"), list,
    tuple, dict, set, lambda: [1, "a"], lambda: [None], lambda: ["x"], lambda: [1.0, 2.0], lambda: (0.0, 0.1, "x"),
    lambda: (1.0, 0.0), lambda: (0.0, float("nan")), lambda: [[1.0], [2.0, 3.0]], lambda: {"a": 1}, lambda: {1: 2},
    lambda: {None: None}, lambda: {"joint1.angle": "x"}, lambda: {"joint1.angle": None},
    lambda: {"joint1.angle": [1, 2]}, lambda: {"joint1.angle": float("nan")}, lambda: {("a", "b"): 1},
    lambda: {"joint1.angle": {"x": 1}},
    object, _Blank, lambda: _Blank, lambda: int, lambda: (lambda: 0), lambda: (lambda *a: "x"),
    lambda: (lambda *a: None), lambda: np.array([]), lambda: np.zeros((2, 2)), lambda: np.zeros((2, 2, 2)),
    lambda: np.array(["a", "b"]),
    lambda: np.array([None, 1]), lambda: np.array([1 + 1j]), lambda: np.array(3.0), lambda: np.float64(2.0),
    lambda: np.int64(2), lambda: np.bool_(True), lambda: np.str_("x"), lambda: np.datetime64("2020-01-01"),
    lambda: np.full(3, np.nan), lambda: Path("x"), lambda: Path("/nowhere/x.yaml"), lambda: ca.SX.sym("s"),
    lambda: ca.MX.sym("m"), lambda: ca.DM([1, 2]), lambda: ca.SX.sym("s", 2, 2), lambda: pd.Series([1.0, 2.0]),
    lambda: pd.DataFrame({"a": [1.0]}), lambda: xr.Dataset(), lambda: xr.DataArray([1.0]), lambda: range(3),
    lambda: range(0), lambda: iter([1.0]), lambda: (i for i in "ab"), lambda: datetime.date(2020, 1, 1),
    lambda: datetime.timedelta(1), lambda: Ellipsis, lambda: NotImplemented, lambda: ValueError("x"), lambda: np,
    lambda: _nested(50), lambda: _nested(5000), _circular, lambda: fb.Ground("ground"), lambda: fb.Model("m"),
    lambda: fb.AssumedModes(1), lambda: fb.Payload, lambda: slice(1), lambda: memoryview(b"x"), lambda: frozenset("a"),
)  # fmt: skip


def odd(rng: np.random.Generator) -> Any:
    """Return one of the values."""
    return ODD[int(rng.integers(len(ODD)))]()


def spoilt(rng: np.random.Generator, value: Any) -> Any:
    """Return a value with one of its entries replaced by an odd one, or an odd value in place of it."""
    if rng.random() < 0.5 or not isinstance(value, (dict, list, tuple)) or not value:
        return odd(rng)
    if isinstance(value, dict):
        names = list(value)
        name = names[int(rng.integers(len(names)))]
        if rng.random() < 0.3:
            other = odd(rng)
            return {**value, other if _hashable(other) else "x": value[name]}
        return {**value, name: spoilt(rng, value[name])}
    entries = list(value)
    i = int(rng.integers(len(entries)))
    entries[i] = spoilt(rng, entries[i])
    return tuple(entries) if isinstance(value, tuple) else entries


def _hashable(value: Any) -> bool:
    try:
        hash(value)
    except (TypeError, NotImplementedError):  # the latter of CasADi's matrices
        return False
    return True
