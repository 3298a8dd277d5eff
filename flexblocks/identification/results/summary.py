"""The text of a fit: estimates, what the data do not determine, residuals."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from flexblocks.identification.results.estimates import Estimate
from flexblocks.identification.results.residual_tests import CONFIDENCE, SIZE, SignalResidual
from flexblocks.identification.results.undetermined import Undetermined

CLOSE = 0.95  # correlation of two estimates that is worth a line
WIDER = 1.1  # multiple of the intervals of white residuals that is worth a line


def summary(head: str, estimates: Sequence[Estimate], told: Sequence[str], residuals: Sequence[SignalResidual]) -> str:
    """Return the text of a fit, of a first line, estimates, remarks and residuals."""
    return "\n".join(
        [head, "", *_estimates(estimates), *(f"! {line}" for line in told), "", *residual_lines(residuals)]
    )


def warnings(status: str, undetermined: Sequence[Undetermined], residuals: Sequence[SignalResidual]) -> tuple[str, ...]:
    """Return what makes a fit one that is not to be trusted, a sentence each."""
    lines = []
    if status != "converged":
        lines.append(f"the search ended early ({status}); values are the best so far, intervals do not hold")
    return *lines, *map(str, undetermined), *residual_remarks(residuals)


def remarks(
    names: Sequence[str], correlations: np.ndarray, widened: np.ndarray, cost: float, costs: Sequence[float]
) -> tuple[str, ...]:
    """Return what else a reader of a fit has to know, a sentence each; `costs` are those of all starts."""
    lines = []
    for i, j in combinations(range(len(names)), 2):
        if abs(correlations[i, j]) > CLOSE:
            lines.append(f"{names[i]} and {names[j]} are correlated: {correlations[i, j]:+.3f}")
    widest = float(np.nanmax(widened, initial=1.0))
    if widest > WIDER:
        lines.append(
            f"intervals are up to {widest:.1f} times as wide as those of white residuals of the noise given; bias by "
            "what the model lacks is not in them"
        )
    if len(costs) > 1:
        good = sum(each <= cost + 1 for each in costs)
        lines.append(f"{good} of {len(costs)} starts ended here, the others at a greater cost")
    return tuple(lines)


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


def _estimates(estimates: Sequence[Estimate]) -> list[str]:
    rows = [("", "value", "95 % interval", "unit")]
    for each in estimates:
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
