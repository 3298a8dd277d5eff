"""Bode diagram of a frequency response, and beside it that of a model."""

from __future__ import annotations

from typing import TYPE_CHECKING

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import NullFormatter, ScalarFormatter

from flexblocks.errors import ParameterError
from flexblocks.plot.style import BLACK, line_style, quiet

if TYPE_CHECKING:
    from flexblocks.dae.dae import DAE
    from flexblocks.identification.spectral.frequency_response import FrequencyResponse
    from flexblocks.linear.linear_model import LinearModel


def frequency_response(
    response: FrequencyResponse, *, beside: FrequencyResponse | LinearModel | DAE | None = None
) -> tuple[Axes, ...]:
    """Draw the Bode diagram of a frequency response in a new figure: magnitude, phase and, if measured, coherence.

    Parameters
    ----------
    response : FrequencyResponse
    beside : FrequencyResponse, LinearModel or DAE, optional
        A model with the same inputs and outputs, drawn as thin black lines over what was measured. Of a DAE that at its
        equilibrium.

    Returns
    -------
    tuple of Axes
        Magnitude, phase and coherence, each a line for each path, then those of the model.

    Raises
    ------
    NameUnknownError
        The model has no such input or output.
    """
    model = None if beside is None else _model_of(response, beside)
    is_measured = np.isfinite(response.averages)
    heights = (2.0, 1.2, 0.8) if is_measured else (2.0, 1.2)
    _, grid = plt.subplots(
        len(heights), sharex=True, figsize=(7.5, 1.6 * sum(heights) + 0.5), height_ratios=heights, layout="constrained"
    )
    paths = [(output, into) for output in response.outputs for into in response.inputs]
    for number, path in enumerate(paths):
        style, label = line_style(number), f"{path[0]} / {path[1]}"
        _draw(grid, response, path, label, color=style["color"], linewidth=1.5)
        if is_measured:
            g2 = response.coherence[:, response.outputs.index(path[0])]
            grid[2].plot(response.frequency, g2, color=style["color"], linewidth=1.0)
    for number, path in enumerate(paths):
        if model is None:
            break
        label = "model" if not number else "_model"
        _draw(grid, model, path, label, color=BLACK, linewidth=0.9, linestyle=line_style(number)["linestyle"])
    units = {f"{y}/({u})" if y and u else "" for y in response.output_units for u in response.input_units}
    unit = next(iter(units)) if len(units) == 1 else ""
    grid[0].set_ylabel(f"magnitude [{unit}]" if unit else "magnitude")
    grid[1].set_ylabel("phase [°]")
    grid[1].set_yticks(np.arange(-180, 181, 90))
    if is_measured:
        grid[2].set_ylabel("coherence")
        grid[2].set_ylim(0, 1.05)
    for ax in grid:
        quiet(ax)
        ax.margins(x=0)
    grid[0].legend(frameon=False, fontsize="small")
    if response.frequency[-1] > 10 * response.frequency[0]:
        grid[-1].xaxis.set_minor_formatter(NullFormatter())
    grid[-1].xaxis.set_major_formatter(ScalarFormatter())
    grid[-1].set_xlabel("frequency [Hz]")
    return tuple(grid)


def _draw(grid: np.ndarray, response: FrequencyResponse, path: tuple[str, str], label: str, **style: object) -> None:
    H = response[path]
    grid[0].loglog(response.frequency, np.abs(H), label=label, **style)
    # A line across the picture where the phase wraps would be no phase.
    phase = np.degrees(np.angle(H))
    wraps = np.abs(np.diff(phase, prepend=phase[:1])) > 180
    grid[1].semilogx(response.frequency, np.where(wraps, np.nan, phase), **style)


def _model_of(response: FrequencyResponse, beside: FrequencyResponse | LinearModel | DAE) -> FrequencyResponse:
    """Return the response of a model at frequencies four times as close, so that its peaks are seen."""
    from flexblocks.dae.dae import DAE
    from flexblocks.identification.spectral.frequency_response import FrequencyResponse
    from flexblocks.linear.linear_model import LinearModel

    if isinstance(beside, FrequencyResponse):
        return beside
    if not isinstance(beside, (LinearModel, DAE)):
        raise ParameterError(f"plot.frequency_response: beside = {beside!r}; must be a model or its response.")
    places = np.arange(4 * len(response) - 3) / 4
    frequency = np.interp(places, np.arange(len(response)), response.frequency)
    return FrequencyResponse.of(beside, frequency, response.inputs, response.outputs)
