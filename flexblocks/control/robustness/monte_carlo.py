"""Monte Carlo analysis of a closed loop under parameter uncertainty."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.errors import ParameterError, listing
from flexblocks.interrupt import Interrupt
from flexblocks.linear.linearize import linearize
from flexblocks.progress import ProgressDisplay
from flexblocks.simulation.batch import simulate_batch
from flexblocks.statics.equilibrium import equilibrium
from flexblocks.user_warning import warn
from flexblocks.validity.large_deflections import without_warning

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
    progress: bool | None = None,
) -> xr.Dataset:
    """Monte Carlo analysis: the poles of a closed loop for random parameters and, on request, its motions.

    Parameters
    ----------
    closed : DAE
        A closed loop in which the uncertain parameters are symbolic (``assemble(model, symbolic=...)``).
    p : dict
        Distribution of each parameter: (lowest, highest) for a uniform one, or a frozen distribution of scipy.stats.
    runs : int
    seed : int
    x, u : dict, optional
        Values held in the equilibrium at which each draw is linearised (`flexblocks.equilibrium`), such as references.
    simulation : dict, optional
        Arguments of `flexblocks.simulate_batch`, ``{"t": (0.0, 2.0), "u": ..., "x0": ...}``; by default no simulation.
    progress : bool, optional
        Whether to show progress; by default if it takes long.

    Returns
    -------
    xarray.Dataset
        Over ``run``: ``pole`` (run, pole) complex [1/s], ``growth``, the largest real part, ``stable``; the
        result of `simulate_batch`; and the parameters as coordinates ``p[name]``. After Ctrl-C it holds what is
        complete: fewer runs if poles are missing, motions that are nan where `simulate_batch` did not get.

    Raises
    ------
    NameUnknownError
        The closed loop has no such variable or parameter.
    ParameterError
        Invalid distribution, or runs < 1.
    ComputationError
        A draw has no equilibrium.

    Warns
    -----
    FlexblocksWarning
        Ctrl-C ended it early.

    Notes
    -----
    A model-based law bound to the arm itself knows the true parameters of each draw; one with ``model=`` does not.
    """
    import xarray as xr

    if isinstance(runs, bool) or not isinstance(runs, int) or runs < 1:
        raise ParameterError(f"monte_carlo: runs = {runs!r}; must be a whole number > 0.")
    # Parameters of all runs first: the draws of one parameter then do not depend on what the runs do.
    draws = _draws(closed, p, runs, np.random.default_rng(seed))
    poles: list[np.ndarray] = []
    # Poles at each draw's equilibrium.
    with ProgressDisplay(f"Poles of {closed.name}", runs, progress) as bar, Interrupt() as interrupt:
        try:
            for run in range(runs):
                interrupt.obey()
                bar.update(f"{run} of {runs} draws", run)
                with without_warning():
                    point = equilibrium(closed, x, u, {name: float(values[run]) for name, values in draws.items()})
                    poles.append(np.linalg.eigvals(linearize(closed, point).A))
        except KeyboardInterrupt:
            if not poles:
                raise
            warn(
                f"monte_carlo of '{closed.name}' was interrupted; it holds the poles of the first {len(poles)} of "
                f"{runs} draws{'' if simulation is None else ', and no motions'}."
            )
            draws = {name: values[: len(poles)] for name, values in draws.items()}
            runs, simulation = len(poles), None
    # Poles, growth and parameters of each run as a dataset, merged with the motions if there are any.
    pole = np.array(poles)
    growth = np.real(pole).max(axis=1)
    poles_of_runs = xr.Dataset(
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
        return poles_of_runs
    motions = simulate_batch(closed, **{**simulation, "p": {name: values.tolist() for name, values in draws.items()}})
    return motions.merge(poles_of_runs, combine_attrs="override", compat="override")


def _draws(closed: DAE, p: Mapping[str, Any], runs: int, random: np.random.Generator) -> dict[str, np.ndarray]:
    """Return `runs` random values of each parameter."""
    if not isinstance(p, Mapping) or not p:
        raise ParameterError(
            f"monte_carlo: p = {p!r}; must be a dict from symbolic parameters ({listing(closed.p.names)}) to "
            "(lowest, highest) or a distribution of scipy.stats."
        )
    draws = {}
    for name, distribution in p.items():
        closed.p.index(name)
        if hasattr(distribution, "rvs"):
            values = np.asarray(distribution.rvs(size=runs, random_state=random), dtype=float)
        else:
            try:
                low, high = (float(bound) for bound in distribution)
            except (TypeError, ValueError):
                low = high = np.nan
            if not low < high:
                raise ParameterError(
                    f"monte_carlo: p[{name}] = {distribution!r}; must be (lowest, highest) or a distribution of "
                    "scipy.stats."
                )
            values = random.uniform(low, high, runs)
        if values.shape != (runs,) or not np.all(np.isfinite(values)):
            raise ParameterError(
                f"monte_carlo: p[{name}]: the distribution must give a finite number for each run; choose another."
            )
        draws[name] = values
    return draws
