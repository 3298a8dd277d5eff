"""What objects show of themselves in a notebook."""

from flexblocks.lazy_package import register
from flexblocks.notebook.display import html
from flexblocks.notebook.formulas import latex

register({"RichDisplay._repr_html_": html, "RichFormula._repr_latex_": latex})
