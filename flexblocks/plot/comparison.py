"""A comparison of fidelities: their responses, and how far each is from the finest."""

from __future__ import annotations

from typing import TYPE_CHECKING

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes

from flexblocks.plot.style import line_style, quiet

if TYPE_CHECKING:
    from flexblocks.compare import Comparison


def comparison(found: Comparison) -> tuple[Axes, Axes]:
    """Draw the responses of all fidelities, and below how far each is from the last.

    Parameters
    ----------
    found : Comparison

    Returns
    -------
    tuple of Axes
        In the upper one line for each fidelity; in the lower one for each but the last, on a logarithmic scale.
    """
    _, (upper, lower) = plt.subplots(2, 1, figsize=(7.0, 5.5), layout="constrained", sharex=True)
    *others, last = found.responses
    unit = found.responses[last].unit(found.output)
    for number, (name, response) in enumerate(found.responses.items()):
        upper.plot(response.t, response[found.output], label=name, linewidth=1.5, **line_style(number))
    for number, name in enumerate(others):
        response = found.responses[name]
        distance = np.abs(response[found.output] - found.responses[last][found.output])
        lower.semilogy(response.t, np.where(distance > 0, distance, np.nan), label=name, **line_style(number))
    for ax in (upper, lower):
        quiet(ax)
        ax.margins(x=0)
    upper.set_ylabel(f"{found.output} [{unit}]")
    upper.legend(edgecolor="none", framealpha=1.0, fontsize="small")
    lower.set_ylabel(f"distance to {last} [{unit}]", fontsize="small")
    lower.set_xlabel("time [s]")
    return upper, lower
