"""Axes of a grid, and the equilibria at its points."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import casadi as ca
import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.errors import NameUnknownError, ParameterError, suggestion
from flexblocks.statics.equilibrium import equilibrium
from flexblocks.statics.operating_point import OperatingPoint
from flexblocks.validity.large_deflections import without_warning

Over = Mapping[str, Sequence[float] | np.ndarray]


@dataclass(frozen=True, eq=False)
class Axis:
    """Axis of a grid: increasing values (k,) of a coordinate, an input or a parameter.

    `affine`: whether the mass matrix depends on it as a + b x, at the same posture.
    """

    name: str
    unit: str
    values: np.ndarray
    affine: bool = False


def grid_axes(dae: DAE, over: Over) -> tuple[Axis, ...]:
    """Return the axes of a grid.

    Raises
    ------
    NameUnknownError
        A name that is neither that of a coordinate, a first-order state, an input nor a symbolic parameter.
    ParameterError
        Values that do not increase, or fewer than two.
    """
    if not isinstance(over, Mapping) or not over:
        name = (*dae.x.names, *dae.u.names, *dae.p.names, "joint1.angle")[0]
        raise ParameterError(
            f"linear_grid: over = {over!r}; must be a dict of values by name, such as {{'{name}': [0.0, 0.5]}}."
        )
    units = {name: _unit(dae, name) for name in over}
    affine = _affine_parameters(dae) if any(name in dae.p for name in over) else ()
    return tuple(Axis(name, units[name], axis_values(name, values), name in affine) for name, values in over.items())


def held_values(dae: DAE, at: Mapping[str, float] | None, axes: tuple[Axis, ...]) -> dict[str, float]:
    """Return the values that are held over the whole grid.

    Raises
    ------
    NameUnknownError, ParameterError
        An unknown name, a value that is not a number, or a name that is an axis too.
    """
    if at is not None and not isinstance(at, Mapping):
        raise ParameterError(f"linear_grid: at = {at!r}; must be a dict of values by name.")
    held = dict(at or {})
    for name in held:
        _unit(dae, name)
        if name in [axis.name for axis in axes]:
            raise ParameterError(f"linear_grid: '{name}' is held by `at` and varies in `over`; leave one out.")
    return held


@dataclass(frozen=True, eq=False)
class RestingPoints:
    """Equilibria at the points of a grid, with values that are held everywhere."""

    held: Mapping[str, float]

    def prepare(self, dae: DAE) -> Callable[[Mapping[str, float]], OperatingPoint]:
        """Return the function from the values of the axes to the equilibrium; it raises what `equilibrium` raises."""

        def rest(place: Mapping[str, float]) -> OperatingPoint:
            fixed = {**self.held, **place}
            groups = (
                {name: value for name, value in fixed.items() if name in group} for group in (dae.x, dae.u, dae.p)
            )
            with without_warning():
                return equilibrium(dae, *groups)

        return rest


def _unit(dae: DAE, name: str) -> str:
    _, rates, first_order = dae.tree.split_state(dae.x.names)
    if name in rates:
        raise ParameterError(
            f"linear_grid: '{name}' is a rate; the arm rests at the points of a grid, where rates are 0. Use a "
            "coordinate, or a Trajectory as `at`."
        )
    for group in (dae.x, dae.u, dae.p):
        if name in group:
            return group.unit(name)
    known = [*dae.q_names, *first_order, *dae.u.names, *dae.p.names]
    raise NameUnknownError(
        f"linear_grid: there is no coordinate, input or symbolic parameter '{name}'"
        f"{suggestion(name, known)} A parameter must stay symbolic: assemble(model, symbolic=('{name}',))."
    )


def _affine_parameters(dae: DAE) -> tuple[str, ...]:
    """Return the parameters on which the mass matrix depends linearly at most, such as masses."""
    mass = ca.sparsify(ca.SX(dae.expressions.mass))
    entries = mass.nz[:] if mass.nnz() else ca.SX(0, 1)
    curved = ca.which_depends(entries, dae.p.symbol, 2, False)
    return tuple(name for name, is_curved in zip(dae.p.names, curved, strict=True) if not is_curved)


def axis_values(name: str, values: Any) -> np.ndarray:
    """Return the increasing values (k,) of an axis, two at least."""
    try:
        increasing = np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        increasing = np.zeros(0)
    if (
        increasing.ndim != 1
        or len(increasing) < 2
        or not np.all(np.isfinite(increasing))
        or not np.all(np.diff(increasing) > 0)
    ):
        raise ParameterError(f"linear_grid: over: {name} = {values!r}; must be two or more increasing numbers.")
    return increasing
