"""The report of a fit: estimates, what the data do not determine, measured beside predicted, residuals."""

from __future__ import annotations

import numpy as np

from flexblocks.export.report.content import Cards, Curve, Plot, Report, Section, Text, table
from flexblocks.identification.results.covariance import autocorrelations
from flexblocks.identification.results.estimates import FittedRecord
from flexblocks.identification.results.fit import Fit

SAMPLES = 2000  # of a curve
LAGS = 100


def fit_report(fit: Fit) -> Report:
    """Return the report of a fit."""
    worst = fit.worst
    cards = (
        ("status", fit.status),
        ("method", fit.method),
        ("records", f"{len(fit.records)}"),
        ("measurements", f"{sum(each.count for each in fit.residuals)}"),
        ("fits worst", f"{worst.signal}, {worst.ratio:.2f} times the noise, most at {worst.frequency:.3g} Hz"),
    )
    rows = [(e.name, e.value, e.low, e.high, e.deviation, e.unit) for e in fit.estimates]
    told = [Text("\n".join(f"* {line}" for line in (*fit.warnings, *fit.remarks)))]
    correlations = [(name, *row) for name, row in zip(fit.names, fit.correlations, strict=True)]
    heads = ("signal", "record", "rms", "/ noise", "white, p =", "worst at [Hz]", "explained [%]", "unit")
    left = [(r.signal, r.record, r.rms, r.ratio, r.whiteness, r.frequency, r.share, r.unit) for r in fit.residuals]
    attempts = [(i, a.cost, a.status, a.evaluations) for i, a in enumerate(fit.attempts, 1)]
    units = {each.signal: each.unit for each in fit.residuals}
    sections = (
        Section("In short", (Cards(cards),)),
        Section("Estimates", (table(("unknown", "value", "95 % from", "to", "deviation", "unit"), rows),)),
        Section("To be known", tuple(told) if fit.warnings or fit.remarks else ()),
        Section("Correlations", (table(("", *fit.names), correlations),) if len(fit.names) > 1 else ()),
        Section("Residuals", (table(heads, left),)),
        Section("Measured and predicted", tuple(p for r in fit.records for p in _motions(r, fit.measured, units))),
        Section("Autocorrelation of residuals", tuple(_autocorrelation(r, fit.measured) for r in fit.records)),
        Section("Starts", (table(("start", "cost", "status", "evaluations"), attempts),)),
    )
    return Report("arm" if fit.dae is None else fit.dae.name, "Identification", sections)


def _motions(record: FittedRecord, names: tuple[str, ...], units: dict[str, str]) -> list[Plot]:
    """Return plots of each measured variable, and of its residuals."""
    rows = np.unique(np.linspace(0, len(record.t) - 1, min(len(record.t), SAMPLES)).astype(int))
    plots = []
    for i, name in enumerate(names):
        if not np.any(np.isfinite(record.measured[:, i])):
            continue
        curves = (
            Curve("measured", record.t[rows], record.measured[rows, i], 0, points=True),
            Curve("predicted", record.t[rows], record.predicted[rows, i], 1),
        )
        plots.append(Plot(f"{name}, {record.name}", "time [s]", units[name], curves))
        left = Curve("residual", record.t[rows], record.residuals[rows, i], 0)
        plots.append(Plot(f"{name}, residual", "time [s]", "standard deviations", (left,), ((2.0, 1), (-2.0, 1))))
    return plots


def _autocorrelation(record: FittedRecord, names: tuple[str, ...]) -> Plot:
    """Return the plot of the autocorrelations, with the bounds of 95 % for white residuals."""
    curves, step = [], float(np.median(np.diff(record.t)))
    for i, name in enumerate(names):
        residuals = record.residuals[:, i]
        if np.any(np.isfinite(residuals)):
            rho = autocorrelations([np.nan_to_num(residuals)], min(LAGS, len(residuals) // 2))
            curves.append(Curve(name, step * np.arange(1, len(rho)), rho[1:], i))
    bound = 1.96 / np.sqrt(len(record.t))
    return Plot(record.name, "lag [s]", "", tuple(curves), ((bound, 1), (-bound, 1)), group="lag")
