"""Global sensitivity: what of that which varies matters, by Sobol' indices and by Morris' elementary effects."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from flexblocks.errors import NameUnknownError, ParameterError, suggestion
from flexblocks.libraries import xr
from flexblocks.studies.cases import Cases
from flexblocks.studies.samples import at_quantiles, checked_names, unit_cube

LEVELS = 4  # of Morris' grid
ROUNDING = 1e-13  # relative: a variable that deviates by less is constant


def sobol_design(distributions: Mapping[str, Any], count: int, *, seed: int = 0) -> Cases:
    """Saltelli's design for Sobol' indices: (names + 2) count cases.

    Two independent samples A and B, and for each name A with its column from B: Saltelli and others, Computer Physics
    Communications 181 (2010) 259-270.

    Parameters
    ----------
    distributions : dict
        As for `samples`.
    count : int
        A power of two.
    seed : int
    """
    names = checked_names(distributions, "sobol_design")
    if isinstance(count, bool) or not isinstance(count, int) or count < 2 or count & (count - 1):
        raise ParameterError(f"sobol_design: count = {count!r}; must be a power of two.")
    points = unit_cube("sobol", 2 * len(names), count, seed)
    A, B = points[:, : len(names)], points[:, len(names) :]
    parts = [A, B]
    for k in range(len(names)):
        mixed = A.copy()
        mixed[:, k] = B[:, k]
        parts.append(mixed)
    columns = at_quantiles(distributions, np.concatenate(parts), "sobol_design")
    return Cases(columns, {"design": "saltelli", "varied": list(names), "count": count, "seed": seed})


def sobol_indices(runs: xr.Dataset, variable: str) -> xr.Dataset:
    """Sobol' indices of a variable, one number a case, from a study of `sobol_design`.

    Returns
    -------
    xarray.Dataset
        Over ``name``: ``first``, the share of the variance that goes with this name alone, and ``total``, with all that
        it takes part in.

    Raises
    ------
    ParameterError
        The study has another design, cases of it have no result, or the variable is the same in all of them.

    Notes
    -----
    Estimators of Saltelli (2010) and Jansen, as in `scipy.stats.sobol_indices`, of values less their mean.
    """
    names, values = _checked(runs, variable, "saltelli", "sobol")
    count = int(runs.attrs["count"])
    f_A, f_B, *mixed = values.reshape(len(names) + 2, count) - values[: 2 * count].mean()
    variance = np.var(np.concatenate([f_A, f_B]))
    if np.sqrt(variance) <= ROUNDING * np.abs(values).max():
        raise ParameterError(
            f"study: '{variable}' is {values[0]:.6g} in all cases; what does not vary has no variance to share out."
        )
    first = [np.mean(f_B * (f - f_A)) / variance for f in mixed]
    total = [np.mean((f_A - f) ** 2) / (2 * variance) for f in mixed]
    return xr.Dataset({"first": ("name", first), "total": ("name", total)}, {"name": names}, {"variable": variable})


def morris_design(distributions: Mapping[str, Any], count: int, *, seed: int = 0) -> Cases:
    """Morris' design of elementary effects: `count` paths of (names + 1) cases, each step changes one name.

    Morris, Technometrics 33 (1991) 161-174, on a grid of four levels.

    Parameters
    ----------
    distributions : dict
        As for `samples`; the levels are quantiles.
    count : int
        Number of paths; 10 to 50 separate what matters from what does not.
    seed : int
    """
    names = checked_names(distributions, "morris_design")
    if isinstance(count, bool) or not isinstance(count, int) or count < 1:
        raise ParameterError(f"morris_design: count = {count!r}; must be a whole number > 0.")
    random, step = np.random.default_rng(seed), LEVELS / (2 * (LEVELS - 1))
    points = []
    for _ in range(count):
        place = random.integers(0, LEVELS // 2, len(names)) / (LEVELS - 1)
        signs = random.choice([-1.0, 1.0], len(names))
        place = np.where(signs < 0, place + step, place)
        points.append(place.copy())
        for k in random.permutation(len(names)):
            place[k] += signs[k] * step
            points.append(place.copy())
    # The ends of the grid are inside, as quantiles of 0 and 1 may be infinite.
    cube = np.array(points) if _are_bounds(distributions) else 0.01 + 0.98 * np.array(points)
    columns = at_quantiles(distributions, cube, "morris_design")
    return Cases(columns, {"design": "morris", "varied": list(names), "count": count, "seed": seed})


def morris_effects(runs: xr.Dataset, variable: str) -> xr.Dataset:
    """Elementary effects on a variable, one number a case, from a study of `morris_design`.

    Returns
    -------
    xarray.Dataset
        Over ``name``, in the unit of the variable over that of the name: ``mean``, ``mean_magnitude`` (mu*, what
        matters) and ``deviation`` (sigma, what depends on others or is curved).

    Raises
    ------
    ParameterError
        The study has another design, or cases of it have no result.
    """
    names, values = _checked(runs, variable, "morris", "morris")
    places = np.array([runs[name].values for name in names]).T.reshape(-1, len(names) + 1, len(names))
    steps, changes = np.diff(places, axis=1), np.diff(values.reshape(-1, len(names) + 1), axis=1)
    effects = np.array([(changes / np.where(steps[..., k] == 0, np.nan, steps[..., k])) for k in range(len(names))])
    effects = np.nansum(effects, axis=2)  # one step of each path changes a name
    return xr.Dataset(
        {
            "mean": ("name", effects.mean(axis=1)),
            "mean_magnitude": ("name", np.abs(effects).mean(axis=1)),
            "deviation": ("name", effects.std(axis=1, ddof=1) if effects.shape[1] > 1 else np.full(len(names), np.nan)),
        },
        {"name": names},
        {"variable": variable},
    )


def _checked(runs: xr.Dataset, variable: str, design: str, maker: str) -> tuple[list[str], np.ndarray]:
    """Return what varies, and the values (cases,) of the variable."""
    if runs.attrs.get("design") != design:
        raise ParameterError(f"study of design {runs.attrs.get('design')!r}; must be one of {maker}_design.")
    if variable not in runs.data_vars:
        known = [str(name) for name in runs.data_vars]
        raise NameUnknownError(f"study: no variable '{variable}'{suggestion(variable, known)}")
    values = np.asarray(runs[variable].values, dtype=float)
    if values.ndim != 1:
        raise ParameterError(f"study: '{variable}' has {values.ndim} dimensions; must have one number a case.")
    if not np.all(np.isfinite(values)):
        bad = int(np.argmin(np.isfinite(values)))
        raise ParameterError(f"study: '{variable}' of case {bad} is not finite; indices need all cases.")
    varied = runs.attrs["varied"]
    return ([varied] if isinstance(varied, str) else [str(name) for name in varied]), values


def _are_bounds(distributions: Mapping[str, Any]) -> bool:
    return not any(hasattr(distribution, "ppf") for distribution in distributions.values())
