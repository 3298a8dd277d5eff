"""Comparison of beam fidelities: their responses, and the deviation of each from the finest."""

from __future__ import annotations

from typing import TYPE_CHECKING

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes

from flexblocks.plot.style import line_style, quiet

if TYPE_CHECKING:
    from flexblocks.compare import Comparison


def comparison(result: Comparison) -> tuple[Axes, Axes]:
    """Draw the responses of all fidelities, and below them the deviation of each from the last.

    Parameters
    ----------
    result : Comparison

    Returns
    -------
    tuple of Axes
        Upper: one line for each fidelity. Lower: one for each but the last, on a logarithmic scale.
    """
    _, (upper, lower) = plt.subplots(2, 1, figsize=(7.0, 5.5), layout="constrained", sharex=True)
    *others, last = result.responses
    unit = result.responses[last].unit(result.output)
    for number, (name, response) in enumerate(result.responses.items()):
        upper.plot(response.t, response[result.output], label=name, linewidth=1.5, **line_style(number))
    for number, name in enumerate(others):
        response = result.responses[name]
        distance = np.abs(response[result.output] - result.responses[last][result.output])
        lower.semilogy(response.t, np.where(distance > 0, distance, np.nan), label=name, **line_style(number))
    for ax in (upper, lower):
        quiet(ax)
        ax.margins(x=0)
    upper.set_ylabel(f"{result.output} [{unit}]")
    upper.legend(edgecolor="none", framealpha=1.0, fontsize="small")
    lower.set_ylabel(f"distance to {last} [{unit}]", fontsize="small")
    lower.set_xlabel("time [s]")
    return upper, lower
