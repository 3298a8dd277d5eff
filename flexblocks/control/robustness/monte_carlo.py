"""Monte Carlo analysis of a closed loop under parameter uncertainty."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.errors import ComputationError, ParameterError, listing
from flexblocks.libraries import xr
from flexblocks.linear.linearize import linearize
from flexblocks.simulation.batch import simulate_batch
from flexblocks.statics.equilibrium import equilibrium
from flexblocks.studies.cases import Case, Cases
from flexblocks.studies.study import done
from flexblocks.user_warning import warn
from flexblocks.validity.large_deflections import without_warning
from flexblocks.warning_kinds import INTERRUPTED


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
    executor: Any = None,
    store: str | Path | None = None,
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
    executor, store : optional
        Who computes the poles, and where they are kept, as for `flexblocks.study`.

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
        No draw has an equilibrium.

    Warns
    -----
    FlexblocksWarning
        Some draws have no equilibrium, and nan for poles; or Ctrl-C ended it early.

    Notes
    -----
    A model-based law bound to the arm itself knows the true parameters of each draw; one with ``model=`` does not.
    """
    if isinstance(runs, bool) or not isinstance(runs, int) or runs < 1:
        raise ParameterError(f"monte_carlo: runs = {runs!r}; must be a whole number > 0.")
    # Parameters of all runs first: the draws of one parameter then do not depend on what the runs do.
    draws = _draws(closed, p, runs, np.random.default_rng(seed))
    task = _Poles(closed, dict(x or {}), dict(u or {}))
    finished = done(task, Cases(draws, {"seed": seed}), store, executor, progress)
    finished.tell_of_cases()
    poles = finished.dataset
    complete = int(np.argmin(poles["state"].values != 0)) if (poles["state"].values == 0).any() else runs
    if "pole" not in poles:
        if complete < runs:
            raise KeyboardInterrupt
        raise ComputationError(f"monte_carlo of '{closed.name}': no draw has poles: {poles['error'].values[0]}")
    if complete < runs:
        warn(
            f"monte_carlo of '{closed.name}' was interrupted; it holds the poles of the first {complete} of "
            f"{runs} draws{'' if simulation is None else ', and no motions'}.",
            INTERRUPTED,
        )
        simulation = None
    # Poles, growth and parameters of each run as a dataset, merged with the motions if there are any.
    kept = {name: values[:complete] for name, values in draws.items()}
    pole = poles["pole"].values[:complete]
    growth = np.real(pole).max(axis=1)
    poles_of_runs = xr.Dataset(
        {
            "pole": (("run", "pole_number"), pole, {"units": "1/s"}),
            "growth": ("run", growth, {"units": "1/s"}),
            "stable": ("run", growth < 0),
        },
        coords={"run": np.arange(complete)}
        | {f"p[{name}]": ("run", values, {"units": closed.p.unit(name)}) for name, values in kept.items()},
        attrs={"name": closed.name, "seed": seed},
    )
    if simulation is None:
        return poles_of_runs
    motions = simulate_batch(closed, **{**simulation, "p": {name: values.tolist() for name, values in kept.items()}})
    return motions.merge(poles_of_runs, combine_attrs="override", compat="override")


@dataclass(frozen=True)
class _Poles:
    """Poles of the closed loop about the equilibrium of a draw."""

    closed: DAE
    x: Mapping[str, float]
    u: Mapping[str, float]

    @property
    def label(self) -> str:
        return f"poles of {self.closed.name}"

    def __call__(self, draw: Case) -> dict[str, Any]:
        with without_warning():
            point = equilibrium(self.closed, self.x, self.u, draw)
            return {"pole": (("pole_number",), np.linalg.eigvals(linearize(self.closed, point).A).astype(complex))}


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
