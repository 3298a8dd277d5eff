"""Pictures of many cases: parallel coordinates, and a matrix of scatter plots."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import matplotlib.pyplot as plt
import numpy as np

from flexblocks.errors import NameUnknownError, ParameterError, suggestion

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.axes import Axes


def parallel_coordinates(
    runs: xr.Dataset, names: Sequence[str], color: str | None = None, ax: Axes | None = None
) -> Axes:
    """Plot a line for each case over vertical axes, one for each name, from its least to its largest value.

    Parameters
    ----------
    runs : Dataset
        Of `flexblocks.study`.
    names : sequence of str
        What varied, and results that are one number a case.
    color : str, optional
        Name by which lines are coloured; by default the last.
    ax : Axes, optional

    Returns
    -------
    Axes
    """
    columns = _columns(runs, names)
    shades = _columns(runs, [names[-1] if color is None else color])[0]
    axes = plt.subplots(layout="constrained")[1] if ax is None else ax
    low, high = columns.min(axis=1, keepdims=True), columns.max(axis=1, keepdims=True)
    heights = (columns - low) / np.where(high > low, high - low, 1.0)
    places = np.arange(len(names))
    span = float(np.ptp(shades)) or 1.0
    for line, shade in zip(heights.T, shades, strict=True):
        axes.plot(places, line, color=plt.get_cmap("viridis")((shade - shades.min()) / span), alpha=0.6, linewidth=0.8)
    ranges = zip(names, low[:, 0], high[:, 0], strict=True)
    axes.set_xticks(places, [f"{name}\n{least:.3g} to {largest:.3g}" for name, least, largest in ranges])
    axes.set_yticks([])
    axes.grid(axis="x")
    return axes


def scatter_matrix(runs: xr.Dataset, names: Sequence[str]) -> Any:
    """Plot each of the names over each other, and the histogram of each.

    Parameters
    ----------
    runs : Dataset
        Of `flexblocks.study`.
    names : sequence of str
        What varied, and results that are one number a case.

    Returns
    -------
    ndarray of Axes (names, names)
    """
    columns, count = _columns(runs, names), len(names)
    _, axes = plt.subplots(count, count, squeeze=False, layout="constrained", figsize=(2.0 * count, 2.0 * count))
    for i in range(count):
        for k in range(count):
            one = axes[i, k]
            if i == k:
                one.hist(columns[i], bins=20)
            else:
                one.plot(columns[k], columns[i], ".", markersize=2)
            if k == 0:
                one.set_ylabel(names[i])
            if i == count - 1:
                one.set_xlabel(names[k])
    return axes


def _columns(runs: xr.Dataset, names: Sequence[str]) -> np.ndarray:
    """Return the values (names, cases) of the cases that have all of them."""
    rows = []
    for name in names:
        if name not in runs.variables:
            known = [str(one) for one in runs.variables]
            raise NameUnknownError(f"plot: the study has no '{name}'{suggestion(name, known)}")
        if runs[name].dims != ("case",) or runs[name].dtype.kind not in "fiub":
            raise ParameterError(f"plot: '{name}' is not one number a case; choose another.")
        rows.append(np.asarray(runs[name].values, dtype=float))
    columns = np.array(rows)
    return columns[:, np.all(np.isfinite(columns), axis=0)]
