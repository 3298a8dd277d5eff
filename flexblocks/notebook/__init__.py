"""Notebooks: the same content as the text forms, as tables and diagrams in HTML."""

from flexblocks.notebook.display import html
from flexblocks.notebook.formulas import latex

__all__ = ["html", "latex"]
