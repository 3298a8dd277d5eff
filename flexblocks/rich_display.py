"""What results show of themselves: in a notebook, and in space. The rooms that write it stand above them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

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
        layout: str | None = None,
        exaggeration: float = 1.0,
        color: str | None = None,
        signals: Sequence[str] | None = None,
        frames: int = 1000,
        title: str | None = None,
    ) -> Any:
        """Return an interactive animation in space, a `flexblocks.plot.Animation`: ``run.animate().save("run.html")``.

        Parameters
        ----------
        *others : Trajectory, Plan, Replay, LinearModel, OperatingPoint or DAE
            What plays at the same time.
        labels, mode, layout, exaggeration, color, signals, frames, title
            As for `flexblocks.plot.animate`.
        """
