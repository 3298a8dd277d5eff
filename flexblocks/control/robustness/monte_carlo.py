"""Monte-Carlo: what a closed loop makes of parameters that are not what they were thought to be."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.errors import ParameterError, listing
from flexblocks.linear.linearize import linearize
from flexblocks.simulation.batch import simulate_batch
from flexblocks.statics.equilibrium import equilibrium

if TYPE_CHECKING:
    import xarray as xr


def monte_carlo(
    closed: DAE,
    p: Mapping[str, Any],
    runs: int = 100,
    *,
    seed: int = 0,
    x: Mapping[str, float] | None = None,
    u: Mapping[str, float] | None = None,
    simulation: Mapping[str, Any] | None = None,
) -> xr.Dataset:
    """Draw parameters at random, and give the poles of the closed loop for each draw, and its motion if asked for.

    Parameters
    ----------
    closed : DAE
        With the parameters that vary left symbolic when the arm was assembled.
    p : dict
        By parameter: (lowest, highest) for a uniform distribution, or a frozen distribution of scipy.stats.
    runs : int
    seed : int
    x, u : dict, optional
        What is held where the loop is linearised, for each draw at its own equilibrium (`flexblocks.equilibrium`): such
        as references.
    simulation : dict, optional
        Arguments of `flexblocks.simulate_batch`: ``{"t": (0.0, 2.0), "u": ..., "x0": ...}``; without it only poles.

    Returns
    -------
    xarray.Dataset
        Over ``run``: ``pole`` (run, pole) complex [1/s], ``growth``, the largest real part, ``stable``; what
        `simulate_batch` gives; and the parameters as coordinates ``p[name]``.

    Raises
    ------
    NameUnknownError
        A name that the closed loop does not have.
    ParameterError
        A distribution that is none, or a number of runs that is not > 0.
    ComputationError
        There is no equilibrium for a draw.

    Notes
    -----
    A model-based law that was bound to the arm itself knows the true parameters of each draw; one with ``model=``
    does not.
    """
    import xarray as xr

    if isinstance(runs, bool) or not isinstance(runs, int) or runs < 1:
        raise ParameterError(f"monte_carlo: runs = {runs!r}; must be a whole number > 0.")
    draws = _draws(closed, p, runs, np.random.default_rng(seed))
    poles = []
    for run in range(runs):
        point = equilibrium(closed, x, u, {name: float(values[run]) for name, values in draws.items()})
        poles.append(np.linalg.eigvals(linearize(closed, point).A))
    pole = np.array(poles)
    growth = np.real(pole).max(axis=1)
    found = xr.Dataset(
        {
            "pole": (("run", "pole_number"), pole, {"units": "1/s"}),
            "growth": ("run", growth, {"units": "1/s"}),
            "stable": ("run", growth < 0),
        },
        coords={"run": np.arange(runs)}
        | {f"p[{name}]": ("run", values, {"units": closed.p.unit(name)}) for name, values in draws.items()},
        attrs={"model": closed.name, "seed": seed},
    )
    if simulation is None:
        return found
    moved = simulate_batch(closed, **{**simulation, "p": {name: values.tolist() for name, values in draws.items()}})
    return moved.merge(found, combine_attrs="override", compat="override")


def _draws(closed: DAE, p: Mapping[str, Any], runs: int, random: np.random.Generator) -> dict[str, np.ndarray]:
    if not isinstance(p, Mapping) or not p:
        raise ParameterError(
            f"monte_carlo: p = {p!r}; must be a dict from symbolic parameters ({listing(closed.p.names)}) to "
            "(lowest, highest) or a distribution of scipy.stats."
        )
    found = {}
    for name, given in p.items():
        closed.p.index(name)
        if hasattr(given, "rvs"):
            values = np.asarray(given.rvs(size=runs, random_state=random), dtype=float)
        else:
            try:
                low, high = (float(bound) for bound in given)
            except (TypeError, ValueError):
                low = high = np.nan
            if not low < high:
                raise ParameterError(
                    f"monte_carlo: p[{name}] = {given!r}; must be (lowest, highest) or a distribution of scipy.stats."
                )
            values = random.uniform(low, high, runs)
        if values.shape != (runs,) or not np.all(np.isfinite(values)):
            raise ParameterError(f"monte_carlo: p[{name}]: the distribution gives no finite number for each run.")
        found[name] = values
    return found
