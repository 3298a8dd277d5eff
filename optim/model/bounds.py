"""Bounds of Vars, and linear constraints that enforce limits between mesh points."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyomo.environ as pyo
from pyomo.core.expr.numeric_expr import LinearExpression

from ..collocation.input_parametrization import Weights, control_points
from ..collocation.interval_layout import state_names, state_slices
from ..presolve.phase_transcription import PhaseTranscription

# The constraints that enforce input limits, and the order of the derivative that each applies to.
INPUT_LIMITS = {"input_limit": 0, "input_rate_limit": 1}

Bounds = dict[str, tuple[float | None, float | None]]


def bounds_of(t: PhaseTranscription) -> dict[str, Bounds]:
    """Return the bounds of the mesh points' Vars ``q, v, w, u, du``, by name."""
    names, slices = state_names(t.dae), state_slices(t.dae)
    rows = {part: (names[part], t.limits.x[slices[part]]) for part in names}
    rows |= {"u": (t.dae.u.names, t.limits.u), "du": (t.dae.u.names, t.limits.du)}
    bounds = {group: dict(zip(names, map(_or_none, limits), strict=True)) for group, (names, limits) in rows.items()}
    for name in t.dae.u.with_role("disturbance"):  # known, and fixed
        bounds["u"][name] = bounds["du"][name] = None, None
    return bounds


def add_limits(b: Any, t: PhaseTranscription) -> None:
    """Add the limit constraints ``b.input_limit``, ``b.input_rate_limit`` and ``b.state_limit``, as needed.

    Input limits hold at every time: they bound the Bernstein coefficients, whose convex hull contains the polynomial.
    Inputs of another scenario are limited there. State limits hold at mesh and collocation points. The constraints are
    linear for a fixed duration.
    """
    _add_state_limits(b, t)
    if t.borrows_inputs:
        return
    for name, order in INPUT_LIMITS.items():
        if order <= t.shape.degree:
            _add_input_limits(b, name, t, control_points(t.shape, order), t.limits.inputs[order])


def _add_input_limits(b: Any, name: str, t: PhaseTranscription, points: Weights, limits: np.ndarray) -> None:
    rows = [i for i in range(len(points.factors)) if not _is_one_variable(points, i)]
    known = t.dae.u.with_role("disturbance")
    limited = [
        (u, *_or_none(limit))
        for u, limit in zip(t.dae.u.names, limits, strict=True)
        if np.isfinite(limit).any() and u not in known
    ]
    if not rows or not limited:
        return
    constraint = pyo.Constraint(b.intervals, pyo.Set(initialize=rows), pyo.Set(initialize=[u for u, *_ in limited]))
    b.add_component(name, constraint)
    for k, h in enumerate(_steps(b, t)):
        for i in rows:
            chosen = [j for j, factor in enumerate(points.factors[i]) if factor]
            factors = [float(points.factors[i, j]) * _power(h, points.powers[j]) for j in chosen]
            knots = [t.shape.knots[j] for j in chosen]
            for u, low, high in limited:
                variables = [(b.du if knot.rate else b.u)[k + knot.end, u] for knot in knots]
                constraint.add((k, i, u), (low, _combination(factors, variables), high))


def _steps(b: Any, t: PhaseTranscription) -> list:
    """Return the lengths of the intervals [s]: numbers, or expressions of a free duration."""
    return [share * b.T for share in t.mesh.shares.tolist()] if t.is_free else t.mesh.steps.tolist()


def _power(h: Any, power: float) -> Any:
    if power < 0:
        return 1 / _power(h, -power)
    return 1.0 if power == 0 else h if power == 1 else h**power


def _combination(factors: list, variables: list) -> Any:
    if all(isinstance(factor, float) for factor in factors):
        return LinearExpression(linear_coefs=factors, linear_vars=variables)
    return sum(factor * variable for factor, variable in zip(factors, variables, strict=True))


def _is_one_variable(points: Weights, i: int) -> bool:
    """Whether a coefficient is itself a Var at a mesh point, and so bounded already."""
    used = np.flatnonzero(points.factors[i])
    return len(used) == 1 and points.factors[i, used[0]] == 1 and points.powers[used[0]] == 0


def _add_state_limits(b: Any, t: PhaseTranscription) -> None:
    """Limit states at the collocation points inside the intervals; at mesh points they are Vars with bounds."""
    names = [name for name, limit in zip(t.dae.x.names, t.limits.x, strict=True) if np.isfinite(limit).any()]
    inner = t.scheme.inner
    if not names or not inner:
        return
    b.state_limit = pyo.Constraint(b.intervals, pyo.Set(initialize=inner), pyo.Set(initialize=names))
    for name in names:
        low, high = _or_none(t.limits.x[t.dae.x.index(name)])
        for k, h in enumerate(_steps(b, t)):
            for j in inner:
                b.state_limit.add((k, j, name), (low, _state_at(b, t, name, k, j, h), high))


def _state_at(b: Any, t: PhaseTranscription, name: str, k: int, j: int, h: Any) -> Any:
    """Return a state at an inner collocation point as an expression of the model's Vars."""
    position, n = t.dae.x.index(name), t.dae.tree.size
    A = [h * share for share in t.scheme.integral[j - 1].tolist()]
    if position < n:
        AA = [h * (h * share) for share in t.scheme.double_integral[j - 1].tolist()]
        step = h * float(t.scheme.nodes[j - 1])
        moving = _moving(t, position)
        factors = [*moving.values(), *(step * share for share in moving.values()), *AA]
        variables = [*(b.q[k, one] for one in moving), *(b.v[k, one] for one in moving)]
        variables += [b.a[k, i, name] for i in b.points]
        for mode, shape in zip(t.static.names, t.static.shapes, strict=True):
            factors.append(shape[position])
            variables.append(b.e[k, j, mode])
    elif position < 2 * n:
        coordinate, moving = t.dae.q_names[position - n], _moving(t, position - n)
        factors = [*moving.values(), *A]
        variables = [*(b.v[k, one] for one in moving), *(b.a[k, i, coordinate] for i in b.points)]
    else:
        factors, variables = [1.0, *A], [b.w[k, name], *(b.dw[k, i, name] for i in b.points)]
    return _combination(factors, variables)


def _moving(t: PhaseTranscription, coordinate: int) -> dict[str, float]:
    """Return the combination of coordinates that is one coordinate without its quasi-static part."""
    row = t.static.moving(t.dae.tree.size)[coordinate].tolist()
    return {name: share for name, share in zip(t.dae.q_names, row, strict=True) if share}


def _or_none(limit: np.ndarray) -> tuple[float | None, float | None]:
    low, high = limit.tolist()
    return (low if np.isfinite(low) else None), (high if np.isfinite(high) else None)
