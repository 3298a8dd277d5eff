"""Pole map: eigenvalues of a linear model in the complex plane."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes

from flexblocks.errors import ParameterError
from flexblocks.plot.style import BLUE, GRAY, VERMILION, axes, quiet

if TYPE_CHECKING:
    from flexblocks.linear.linear_model import LinearModel

DAMPING_RATIOS = (0.1, 0.2, 0.4, 0.6, 0.8)


def eigenvalues(lin: LinearModel, ax: Axes | None = None, *, reach: float | None = None) -> Axes:
    """Draw the eigenvalues of a linear model, with lines of constant damping ratio.

    Parameters
    ----------
    lin : LinearModel
    ax : Axes, optional
        By default those of a new figure.
    reach : float, optional
        Largest magnitude to show [rad/s]; by default all.

    Returns
    -------
    Axes
        The first line has the stable eigenvalues and those on the imaginary axis, the second the unstable ones.

    Raises
    ------
    ParameterError
        `reach` is not a finite number > 0.
    """
    if reach is not None and not 0 < reach < np.inf:
        raise ParameterError(f"eigenvalues: reach = {reach!r}; must be a finite number > 0 [rad/s].")
    ax = axes(ax, size=(6.0, 5.0))
    values = lin.modes().eigenvalue
    pairs = values[np.imag(values) != 0]
    x = np.concatenate([np.real(values), np.real(pairs)])
    y = np.concatenate([np.imag(values), -np.imag(pairs)])
    size = np.hypot(x, y)
    # Eigenvalues to show, stable and unstable ones in different colours.
    unstable = x > 1e-9 * size.max(initial=0.0)  # less is rounding; by trial
    shown = size <= (np.inf if reach is None else reach)
    top = max(1.1 * size.max(initial=0.0), 1.0) if reach is None else reach
    for chosen, label, color in ((~unstable, "eigenvalue", BLUE), (unstable, "unstable", VERMILION)):
        if (chosen & shown).any():
            ax.plot(x[chosen & shown], y[chosen & shown], "x", color=color, ms=8, mew=2, label=label, zorder=3)
    # Limits that leave room about the outermost eigenvalues, by trial.
    left = -max(1.15 * np.abs(x[shown]).max(initial=0.0), 0.25 * top)
    right = max(1.15 * x[shown].max(initial=0.0), 0.06 * top)
    _draw_damping_ratios(ax, left, top)
    ax.axvspan(0, right, color=VERMILION, alpha=0.07, linewidth=0, zorder=0)
    ax.axhline(0, color=GRAY, linewidth=0.8, zorder=1)
    ax.axvline(0, color=GRAY, linewidth=0.8, zorder=1)
    quiet(ax)
    ax.set_xlim(left, right)
    ax.set_ylim(-top, top)
    ax.set_xlabel("real part [1/s] (dotted: damping ratio)")
    ax.set_ylabel("imaginary part [rad/s]")
    ax.legend(edgecolor="none", framealpha=1.0, fontsize="small", loc="lower left")
    return ax


def _draw_damping_ratios(ax: Axes, left: float, top: float) -> None:
    """Draw rays of constant damping ratio, up to the edge of the axes."""
    for ratio in DAMPING_RATIOS:
        slope = np.sqrt(1 - ratio**2) / ratio
        end = min(-left, top / slope)
        for sign in (1, -1):
            ax.plot([0, -end], [0, sign * slope * end], color=GRAY, linewidth=0.7, linestyle=":", zorder=1)
        ax.text(
            -0.9 * end,
            0.9 * slope * end,
            f"{ratio:g}",
            color="#555555",
            fontsize="x-small",
            ha="center",
            va="center",
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 1.0},
            zorder=2,
        )
