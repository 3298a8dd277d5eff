"""HTML of content: every text is escaped, numbers stand to the right, long tables scroll."""

from __future__ import annotations

from html import escape

from flexblocks.notebook.content import Content, Svg, Table, Text

LONG = 400  # px of a table before it scrolls: half a screen
# In the colours of the notebook, dark or light; names of classes of its own, so that nothing else is touched.
STYLE = f"""<style>
.flexblocks {{color:inherit;font-size:13px;line-height:1.45;max-width:100%}}
.flexblocks b {{font-weight:600}}
.flexblocks pre {{margin:4px 0;padding:0;background:none;border:0;color:inherit;white-space:pre-wrap;font-size:12px}}
.flexblocks div {{max-height:{LONG}px;overflow:auto;margin:6px 0}}
.flexblocks table {{border-collapse:collapse;margin:0;font-variant-numeric:tabular-nums}}
.flexblocks caption {{text-align:left;font-weight:600;padding:2px 0;color:inherit;caption-side:top}}
.flexblocks th,.flexblocks td {{text-align:left;padding:2px 14px 2px 0;border:0;background:none;color:inherit;
vertical-align:top;white-space:nowrap;max-width:none}}
.flexblocks th {{border-bottom:1px solid currentColor}}
.flexblocks .number {{text-align:right}}
.flexblocks svg {{display:block}}
</style>"""


def page(content: Content) -> str:
    """Return content as a fragment of HTML."""
    parts = "".join(_part(part) for part in content.parts)
    return f'{STYLE}<section class="flexblocks"><b>{escape(content.title)}</b>{parts}</section>'


def _part(part: Text | Svg | Table) -> str:
    if isinstance(part, Text):
        return f"<pre>{escape(part.text)}</pre>"
    if isinstance(part, Svg):
        return f"<div>{part.source}</div>"
    numeric = [all(_is_number(row[i]) for row in part.rows) for i in range(len(part.heads))]
    kinds = [' class="number"' if each else "" for each in numeric]
    caption = f"<caption>{escape(part.title)}</caption>" if part.title else ""
    head = "".join(f"<th{kind}>{escape(name)}</th>" for name, kind in zip(part.heads, kinds, strict=True))
    rows = "".join(
        f"<tr>{''.join(f'<td{kind}>{escape(cell)}</td>' for cell, kind in zip(row, kinds, strict=True))}</tr>"
        for row in part.rows
    )
    return f"<div><table>{caption}<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>"


def _is_number(text: str) -> bool:
    """Whether a cell is a number, or empty as in a column of numbers."""
    try:
        float(text or 0)
    except ValueError:
        return text == "-"
    return True
