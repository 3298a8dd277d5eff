"""Random and quasi-random designs: cases drawn from distributions."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any, Literal

import numpy as np

from flexblocks.errors import ParameterError
from flexblocks.libraries import scipy
from flexblocks.studies.cases import Cases

DESIGNS = ("latin_hypercube", "sobol", "halton", "random")


def samples(
    distributions: Mapping[str, Any],
    count: int,
    design: Literal["latin_hypercube", "sobol", "halton", "random"] = "latin_hypercube",
    *,
    seed: int = 0,
) -> Cases:
    """Draw cases from distributions.

    Parameters
    ----------
    distributions : dict
        By name (lowest, highest) for a uniform distribution, or a frozen distribution of scipy.stats.
    count : int
        Number of cases.
    design : "latin_hypercube", "sobol", "halton" or "random"
        How the unit cube is filled; Sobol' points are scrambled, and balanced only in powers of two.
    seed : int

    Raises
    ------
    ParameterError
        Invalid distribution, count or design.
    """
    if isinstance(count, bool) or not isinstance(count, (int, np.integer)) or count < 1:
        raise ParameterError(f"samples: count = {count!r}; must be a whole number > 0.")
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)) or seed < 0:
        raise ParameterError(f"samples: seed = {seed!r}; must be a whole number >= 0.")
    if design not in DESIGNS:
        raise ParameterError(f"samples: design = {design!r}; must be one of {', '.join(DESIGNS)}.")
    names = checked_names(distributions, "samples")
    cube = unit_cube(design, len(names), int(count), seed)
    return Cases(at_quantiles(distributions, cube, "samples"), {"design": design, "seed": seed})


def unit_cube(design: str, size: int, count: int, seed: int) -> np.ndarray:
    """Return points (count, size) of the unit cube."""
    if design == "random":
        return np.random.default_rng(seed).random((count, size))
    qmc = scipy.stats.qmc
    kinds = {"latin_hypercube": qmc.LatinHypercube, "sobol": qmc.Sobol, "halton": qmc.Halton}
    # SciPy 1.15 has renamed the argument.
    word = "rng" if "rng" in inspect.signature(kinds[design]).parameters else "seed"
    engine = kinds[design](size, **{word: np.random.default_rng(seed)})
    if design == "sobol":
        # Whole powers of two keep the balance, and SciPy quiet; what is left over is cut off.
        return engine.random_base2(max(int(count - 1).bit_length(), 0))[:count]
    return engine.random(count)


def at_quantiles(distributions: Mapping[str, Any], cube: np.ndarray, where: str) -> dict[str, Any]:
    """Return by name the values (n,) of the distributions at quantiles (n, names)."""
    columns = {}
    for (name, distribution), share in zip(distributions.items(), cube.T, strict=True):
        if hasattr(distribution, "ppf"):
            # The quantile of 0, which designs may hit, is minus infinity for many distributions.
            values = np.asarray(distribution.ppf(np.clip(share, 2.0**-53, 1 - 2.0**-53)), dtype=float)
        else:
            low, high = bounds(name, distribution, where)
            values = low + (high - low) * share
        if values.shape != share.shape or not np.all(np.isfinite(values)):
            raise ParameterError(
                f"{where}: {name}: the distribution must give a finite number for each case; choose another."
            )
        columns[name] = values
    return columns


def bounds(name: str, distribution: Any, where: str) -> tuple[float, float]:
    """Return (lowest, highest) of a uniform distribution."""
    try:
        low, high = (float(bound) for bound in distribution)
    except (TypeError, ValueError):
        low = high = np.nan
    if not (low < high and np.isfinite(low) and np.isfinite(high)):
        raise ParameterError(
            f"{where}: {name} = {distribution!r}; must be (lowest, highest) or a distribution of scipy.stats."
        )
    return low, high


def checked_names(distributions: Any, where: str) -> tuple[str, ...]:
    """Return the names of distributions; refuse what is no dict of them."""
    if not isinstance(distributions, Mapping) or not distributions:
        raise ParameterError(
            f"{where}: {distributions!r}; must be a dict from names to (lowest, highest) or a distribution of "
            "scipy.stats."
        )
    return tuple(distributions)
