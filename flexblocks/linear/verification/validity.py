"""Range of validity of a linear model: amplitudes of states and inputs at which it reaches given relative errors."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.errors import ParameterError
from flexblocks.libraries import pd
from flexblocks.linear.forms.linear_system import LinearSystem
from flexblocks.linear.verification.response import Response, response
from flexblocks.linear.verification.scales import characteristic_magnitudes, margins

# Amplitudes that are tried, relative to the characteristic step.
AMPLITUDES = np.geomspace(1e-6, 1e2, 161)
# Errors below this fraction of the terms that cancel at the operating point are rounding.
ROUNDING = 1e-14


def validity(dae: DAE, lin: LinearSystem, errors: Sequence[float], slowest: float) -> pd.DataFrame:
    """Return the range of validity of a linear system in minimal form; see `LinearModel.validity`.

    `slowest` is the frequency of the slowest oscillating mode [rad/s].
    """
    try:
        wanted = np.asarray(errors, dtype=float)
    except (TypeError, ValueError, OverflowError):
        wanted = np.zeros(0)
    if wanted.ndim != 1 or not wanted.size or not np.all((wanted > 0) & (wanted < 1)):
        raise ParameterError(f"LinearModel.validity: errors = {errors!r}; must be shares between 0 and 1.")
    nonlinear, steps = response(dae, lin, "LinearModel.validity"), characteristic_magnitudes(dae, lin)
    low, high = margins(dae, lin)
    weights = _weights(lin, slowest)
    # States and inputs may all be zero there; the effect of a tenth of a characteristic step is rounded, too.
    there = np.abs(np.concatenate([lin.state_values, lin.operating_point.u])) + 0.1 * steps
    rounding = ROUNDING * float(np.linalg.norm(np.abs(weights) @ np.abs(np.hstack([lin.A, lin.B])) @ there))
    names, units = (*lin.states, *lin.inputs), (*lin.state_units, *lin.input_units)
    rows = []
    for j, (step, name, unit) in enumerate(zip(steps, names, units, strict=True)):
        amounts = (np.clip(sign * step * AMPLITUDES, low[j], high[j]) for sign in (1.0, -1.0))
        off = [_off(nonlinear, lin, weights, j, part, rounding) for part in amounts]
        rates, inputs = (np.maximum(*pair) for pair in zip(*off, strict=True))
        reached = [_reached(np.maximum(rates, inputs), share) for share in wanted]
        first = reached[0][0]
        cause = "" if first is None else "rates" if rates[first] >= inputs[first] else "effects of inputs"
        amplitudes = {f"{100 * share:g} %": a * step for share, (_, a) in zip(wanted, reached, strict=True)}
        rows.append({"name": name, "unit": unit, **amplitudes, "by": cause})
    return pd.DataFrame(rows).set_index("name")


def _off(
    nonlinear: Response, lin: LinearSystem, weights: np.ndarray, column: int, amounts: np.ndarray, rounding: float
) -> tuple[np.ndarray, np.ndarray]:
    """Return the relative errors of rates, and of effects of inputs, when one state or input moves by each amount."""
    k = len(lin.states)
    moves = np.zeros((len(nonlinear.start), len(amounts) + 1))
    moves[column, 1:] = amounts
    points = nonlinear.start[:, None] + moves
    rates = nonlinear(points)[:k]
    linear = np.hstack([lin.A, lin.B]) @ moves[:, 1:]
    size, wrong = (np.linalg.norm(weights @ part, axis=0) for part in (linear, rates[:, 1:] - rates[:, :1] - linear))
    effects = weights @ nonlinear.input_effects(points[:, 1:])[:, :k]
    lone = weights @ lin.B
    changed = np.linalg.norm(effects - lone, axis=1) / np.maximum(np.linalg.norm(lone, axis=0), np.finfo(float).tiny)
    lost = ~np.isfinite(wrong)
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.where(wrong <= rounding, 0.0, wrong / size)
    return np.where(lost, np.inf, share), np.where(lost, np.inf, np.max(changed, axis=1, initial=0.0))


def _weights(lin: LinearSystem, slowest: float) -> np.ndarray:
    """Return the weighting matrix (k, k) of the rates of states.

    Rates are weighted by kinetic energy, those of coordinates by the frequency of the slowest oscillating mode; those
    of first-order states by the largest effect in their row.
    """
    d, k = len(lin.structure.coordinates), len(lin.states)
    root = np.linalg.cholesky(lin.structure.mass).T if d else np.zeros((0, 0))
    weights = np.eye(k)
    weights[:d, :d], weights[d : 2 * d, d : 2 * d] = slowest * root, root
    for i in range(2 * d, k):
        weights[i, i] = 1 / (np.max(np.abs(lin.A[i]), initial=0.0) or 1.0)
    return weights


def _reached(off: np.ndarray, share: float) -> tuple[int | None, float]:
    """Return where an error first exceeds `share`, and the amplitude in characteristic steps, infinite if nowhere."""
    above = np.flatnonzero(off > share)
    if not above.size:
        return None, np.inf
    i = int(above[0])
    if i == 0:
        return 0, 0.0
    low, high = off[i - 1], off[i]
    if not np.isfinite(high) or low <= 0:
        return i, float(AMPLITUDES[i - 1])
    part = np.log(share / low) / np.log(high / low)
    return i, float(AMPLITUDES[i - 1] * (AMPLITUDES[i] / AMPLITUDES[i - 1]) ** part)
