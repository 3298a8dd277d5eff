"""The text of a fit: estimates, what the data do not tell, residuals."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from flexblocks.identification.residual_tests import CONFIDENCE, SIZE, SignalResidual

if TYPE_CHECKING:
    from flexblocks.identification.fit import Fit

CLOSE = 0.95  # correlation of two estimates that is worth a line
WIDER = 1.1  # multiple of the intervals of white residuals that is worth a line


def summary(fit: Fit) -> str:
    """Return the text of a fit."""
    count = sum(each.count for each in fit.residuals)
    head = (
        f"Fit of '{fit.dae.name if fit.dae is not None else 'arm'}': {len(fit.estimates)} unknowns from {count} "
        f"measurements in {len(fit.records)} record{'s' if len(fit.records) > 1 else ''}, by {fit.method}: {fit.status}"
    )
    return "\n".join(
        [head, "", *_estimates(fit), *(f"! {line}" for line in remarks(fit)), "", *residual_lines(fit.residuals)]
    )


def remarks(fit: Fit) -> list[str]:
    """Return what a reader has to know, a sentence each: what is not told, mismatch, wide intervals, starts."""
    lines = []
    if fit.status != "converged":
        lines.append(f"the search ended early ({fit.status}); values are the best so far, intervals do not hold")
    lines += [f"the data do not tell: {each}" for each in fit.undetermined]
    for i, j in combinations(range(len(fit.names)), 2):
        if abs(fit.correlations[i, j]) > CLOSE:
            lines.append(f"{fit.names[i]} and {fit.names[j]} are correlated: {fit.correlations[i, j]:+.3f}")
    lines += residual_remarks(fit.residuals)
    widest = float(np.nanmax(fit.widened, initial=1.0))
    if widest > WIDER:
        lines.append(
            f"intervals are up to {widest:.1f} times as wide as those of white residuals of the noise given; bias by "
            "what the model lacks is not in them"
        )
    good = [attempt for attempt in fit.attempts if attempt.cost <= fit.cost + 1]
    if len(fit.attempts) > 1:
        lines.append(f"{len(good)} of {len(fit.attempts)} starts ended here, the others at a greater cost")
    return lines


def residual_remarks(residuals: Sequence[SignalResidual]) -> list[str]:
    """Return a sentence on the signal that fits worst, if residuals are larger than the noise or coloured."""
    told = [each for each in residuals if each.count]
    off = [each for each in told if each.ratio > SIZE or each.whiteness < CONFIDENCE / len(told)]
    if not off:
        return []
    worst = max(off, key=lambda each: each.ratio)
    size = f"{worst.ratio:.2g} times the noise" if worst.ratio > SIZE else "as large as the noise, but not white"
    return [
        f"the model does not explain the data: residuals of {worst.signal} are {size}, most at {worst.frequency:.3g} Hz"
    ]


def residual_lines(residuals: Sequence[SignalResidual]) -> list[str]:
    """Return the table of residuals."""
    rows = [("residuals", "rms", "/ noise", "white", "worst at", "explained")]
    for each in residuals:
        label = f"{each.signal} ({each.record})" if len({other.record for other in residuals}) > 1 else each.signal
        rows.append(
            (
                label,
                f"{each.rms:.3g} {each.unit}".strip(),
                f"{each.ratio:.2f}",
                f"p = {each.whiteness:.2g}",
                f"{each.frequency:.3g} Hz",
                f"{each.share:.4g} %",
            )
        )
    return _aligned(rows)


def _estimates(fit: Fit) -> list[str]:
    rows = [("", "value", "95 % interval", "unit")]
    for each in fit.estimates:
        interval = f"{each.low:.5g} to {each.high:.5g}" if np.isfinite(each.deviation) else "not known"
        rows.append((each.name, f"{each.value:.6g}", interval, each.unit))
    return _aligned(rows)


def _aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return [
        "  ".join(
            cell.ljust(width) if i == 0 else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
