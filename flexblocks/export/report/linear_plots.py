"""Plots of linear models: map of poles, and Bode plots."""

from __future__ import annotations

import numpy as np

from flexblocks.export.report.content import Curve, Plot
from flexblocks.linear.linear_model import LinearModel

MOST = 6  # inputs, and outputs of a Bode plot
POINTS = 600
LEAST = 1e-12  # a gain below is zero
BESIDE = 1e-8  # damping that keeps undamped poles off the axis


def pole_map(lin: LinearModel) -> Plot:
    """Return the eigenvalues in the complex plane, with their conjugates."""
    values = lin.modes().eigenvalue
    both = np.concatenate([values, np.conj(values[np.imag(values) != 0])])
    both = both[np.argsort(np.real(both), kind="stable")]
    curve = Curve("eigenvalues", np.real(both), np.imag(both), 0, points=True)
    return Plot("poles", "real part [1/s]", "imaginary part [1/s]", (curve,), group="poles")


def bode_plots(lin: LinearModel) -> tuple[Plot, ...]:
    """Return gain and phase over frequency from each input to the outputs, those of one unit together."""
    small = lin.minimal()
    if not small.outputs or not small.inputs:
        return ()
    omega = _frequencies(lin)
    gains = _response(small, omega)
    plots = []
    for column, name in enumerate(small.inputs[:MOST]):
        for unit in dict.fromkeys(small.output_units):
            rows = [i for i, of in enumerate(small.output_units) if of == unit][:MOST]
            seen = [i for i in rows if np.abs(gains[:, i, column]).max() > LEAST]
            if not seen:
                continue
            size = [20 * np.log10(np.maximum(np.abs(gains[:, i, column]), LEAST)) for i in seen]
            angle = [np.degrees(np.unwrap(np.angle(gains[:, i, column]))) for i in seen]
            per = f"dB re 1 {unit}/({small.input_units[column]})"
            labels = [small.outputs[i] for i in seen]
            for title, unit_y, values in (("gain", per, size), ("phase", "degrees", angle)):
                curves = tuple(
                    Curve(label, omega, y, k) for k, (label, y) in enumerate(zip(labels, values, strict=True))
                )
                plots.append(Plot(f"{title} from {name}", "frequency [rad/s]", unit_y, curves, log=True, group="bode"))
    return tuple(plots)


def _frequencies(lin: LinearModel) -> np.ndarray:
    """Return frequencies [rad/s] from a decade below the slowest to half a decade above the fastest oscillation."""
    modes = lin.modes()
    own = np.array([mode.frequency for mode in modes if mode.eigenvalue.imag]) if len(modes) else np.zeros(0)
    low, high = (own.min() / 10, own.max() * 3) if len(own) else (1e-2, 1e3)
    around = [w * (1 + side * d) for w in own for d in (0.0, *np.geomspace(1e-4, 0.1, 12)) for side in (1, -1)]
    return np.unique(np.concatenate([np.geomspace(low, high, POINTS), around]))


def _response(lin: LinearModel, omega: np.ndarray) -> np.ndarray:
    """Return C (i omega - A)^-1 B + D, (frequencies, outputs, inputs); just beside the axis."""
    beside = omega * (1 - BESIDE * 1j)
    identity = np.eye(len(lin.A))
    return np.array([lin.C @ np.linalg.solve(1j * w * identity - lin.A, lin.B) + lin.D for w in beside])
