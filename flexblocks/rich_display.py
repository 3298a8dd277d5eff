"""What results show of themselves: printed, in a notebook, and in space; rooms above them write the last two."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal

from flexblocks.lazy_package import upper


class RichDisplay:
    """Base of what shows itself in a notebook as a table or a diagram."""

    __slots__ = ()

    @upper
    def _repr_html_(self) -> Any:
        """Return the object as HTML, as a notebook shows it; it loads nothing, and holds no script."""


class RichFormula:
    """Base of equations that show themselves in a notebook as formulas."""

    __slots__ = ()

    @upper
    def _repr_latex_(self) -> Any:
        """Return the equations in LaTeX, as a notebook typesets them."""


class LatexText(str):
    """Formulas in LaTeX: a str, which a notebook typesets."""

    __slots__ = ()

    def _repr_latex_(self) -> str:
        """Return the formulas."""
        return str(self)


class Animated:
    """Base of what can be animated in space."""

    __slots__ = ()

    @upper
    def animate(
        self,
        *others: Any,
        labels: Sequence[str] | None = None,
        mode: int | None = None,
        layout: Literal["overlay", "side by side"] | None = None,
        exaggeration: float = 1.0,
        color: Literal["stress", "bending moment", "speed"] | None = None,
        signals: Sequence[str] | None = None,
        frames: int = 1000,
        triangles: int = 50_000,
        title: str | None = None,
    ) -> Any:
        """Return an interactive animation in space, a `flexblocks.plot.Animation`: ``run.animate().save("run.html")``.

        Parameters
        ----------
        *others : Trajectory, Plan, Replay, LinearModel, OperatingPoint or DAE
            What plays at the same time.
        labels, mode, layout, exaggeration, color, signals, frames, triangles, title
            As for `flexblocks.plot.animate`.
        """


def text_table(heads: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Return a table as lines of text: numbers with six digits to the right, words to the left."""
    rows = [tuple(row) for row in rows]
    numeric = [bool(rows) and all(isinstance(row[k], (int, float)) for row in rows) for k in range(len(heads))]
    written = [tuple(heads), *(tuple(_written(cell) for cell in row) for row in rows)]
    widths = [max(len(row[k]) for row in written) for k in range(len(heads))]
    lines = [
        "  ".join(
            cell.rjust(width) if right else cell.ljust(width)
            for cell, width, right in zip(row, widths, numeric, strict=True)
        )
        for row in written
    ]
    return "\n".join(line.rstrip() for line in lines)


def _written(cell: Any) -> str:
    return f"{cell:.6g}" if isinstance(cell, float) else str(cell)
