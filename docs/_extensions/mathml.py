"""Formulae as MathML, which browsers typeset by themselves: pages need no network and no script for them."""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes
from latex2mathml.converter import convert

# Delimiters of a fixed size, which the converter does not know, and its spelling of others.
PRIME = r"\prime"
SPELLINGS = ((r"\\(?:big|Big|bigg|Bigg)[lr]?(?![a-zA-Z])", ""), (r"\\tfrac", r"\\frac"), (r"\\dots\b", r"\\ldots"))


def mathml(latex: str, display: str) -> str:
    """Return a formula as MathML, ``"inline"`` or ``"block"``."""
    for pattern, other in SPELLINGS:
        latex = re.sub(pattern, other, latex)
    latex = re.sub(r"('+)\^(\{[^{}]*\}|\w)", lambda found: f"^{{{PRIME * len(found[1])} {found[2]}}}", latex)
    return convert(latex.strip(), display=display)


def visit_inline(self: Any, node: nodes.math) -> None:
    """Write a formula in a line."""
    self.body.append(mathml(node.astext(), "inline"))
    raise nodes.SkipNode


def visit_block(self: Any, node: nodes.math_block) -> None:
    """Write a formula of its own line."""
    self.body.append(f'<div class="formula">{mathml(node.astext(), "block")}</div>\n')
    raise nodes.SkipNode


def setup(app: Any) -> dict[str, bool]:
    app.add_html_math_renderer("mathml", (visit_inline, None), (visit_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
