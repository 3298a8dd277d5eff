"""Rich display: objects that show themselves in a notebook; what is shown is told by `flexblocks.notebook`."""

from __future__ import annotations

from importlib import import_module


class RichDisplay:
    """Base of what shows itself in a notebook as a table or a diagram.

    The room that writes HTML stands above all that it shows, so that it is looked up when a notebook asks.
    """

    __slots__ = ()

    def _repr_html_(self) -> str:
        """Return the object as HTML, as a notebook shows it; it loads nothing, and holds no script."""
        return import_module("flexblocks.notebook").html(self)


class RichFormula:
    """Base of equations that show themselves in a notebook as formulas."""

    __slots__ = ()

    def _repr_latex_(self) -> str:
        """Return the equations in LaTeX, as a notebook typesets them."""
        return import_module("flexblocks.notebook").latex(self)


class LatexText(str):
    """Formulas in LaTeX: a str, which a notebook typesets."""

    __slots__ = ()

    def _repr_latex_(self) -> str:
        """Return the formulas."""
        return str(self)
