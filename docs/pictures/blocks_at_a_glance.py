"""Draw every block with its ports: ``python docs/pictures/blocks_at_a_glance.py``.

Writes a drawing for each block into ``blocks/`` beside this file, and the page docs/blocks_at_a_glance.md. Ports,
parameters and summaries are those of the blocks themselves; a test holds drawings and page against them.
"""

from __future__ import annotations

import dataclasses
import html
import re
from pathlib import Path

from flexblocks.blocks import ALL_BLOCKS
from flexblocks.interfaces import Kind, PortSpec, inlet, outlet

HERE = Path(__file__).parent
PAGE = HERE.parent / "blocks_at_a_glance.md"
SECTIONS = {
    "bodies": ("Bodies and sensors", "What has mass, and what measures it. A beam or a link lies along its x axis."),
    "joints": ("Joints and transforms", "What lets `frame_b` move relative to `frame_a`; `axis` is the drive side."),
    "drives": (
        "Drives and shafts",
        "One-dimensional parts on the drive side of a joint, and joints with their motors.",
    ),
    "forces": ("Forces between frames", "They hang on any frames, of the ground too, and move nothing of their own."),
}
COLORS = {Kind.FRAME: "#0b5cad", Kind.ROTATIONAL: "#b3541e", Kind.TRANSLATIONAL: "#1f6f43"}
WIDTH, BODY, ROW, MARGIN = 400, 150, 26, 12  # px
STYLE = "font-family:ui-sans-serif,system-ui,sans-serif;font-size:12px"
HEADER = """# Blocks at a glance

Every block with its ports. An arm is built from the ground outward: connect `frame_b` of a part to `frame_a` of the
next, and drives to the `axis` of a joint.

| mark | port | carries | joins |
|---|---|---|---|
| blue square | frame, mechanical | position, orientation, force and torque | frames |
| brown circle | flange, rotational | angle [rad], torque [N m] | rotational flanges |
| green diamond | flange, translational | displacement [m], force [N] | translational flanges |

A hollow mark may stay open. `frame_a` is the inboard end, on the left; a dashed line is an attachment, which hangs on a
frame without carrying anything. The last column has the parameters that a block needs; the API reference
has all.
"""


def ports(block: type) -> tuple[PortSpec, ...]:
    """Return the ports of a block; those of a body of finite elements are its interfaces, two at least."""
    declared = block.ports
    return declared if isinstance(declared, tuple) else (inlet(), outlet())


def drawing(block: type) -> str:
    """Return the block as SVG: inlets and first ends on the left, outlets and second ends on the right."""
    left = [port for port in ports(block) if not port.outlet and not _is_second(port.name)]
    right = [port for port in ports(block) if port.outlet or _is_second(port.name)]
    rows = max(len(left), len(right), 1)
    height, x = 2 * MARGIN + rows * ROW, (WIDTH - BODY) / 2
    middle = height / 2
    parts = [
        f'<rect x="{x}" y="{MARGIN}" width="{BODY}" height="{rows * ROW}" rx="6" fill="#eef3f8" stroke="#51647a"/>',
        f'<text x="{WIDTH / 2}" y="{middle + 4}" text-anchor="middle" style="{STYLE};font-weight:600">'
        f"{block.__name__}</text>",
    ]
    for side, those in ((-1, left), (1, right)):
        for index, port in enumerate(those):
            y = middle + (index - (len(those) - 1) / 2) * ROW
            parts.append(_port(port, side, x if side < 0 else x + BODY, y))
    body = "\n".join(parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:g}" width="{WIDTH}" '
        f'height="{height:g}">\n{body}\n</svg>\n'
    )


def _is_second(name: str) -> bool:
    return name in ("flange_b", "flange", "motor_flange", "frame_b") or name.startswith("axis")


def _port(port: PortSpec, side: int, x: float, y: float) -> str:
    color, end = COLORS[port.kind], x + side * 26
    fill = "#ffffff" if port.optional else color
    dash = ' stroke-dasharray="4,3"' if port.attachment else ""
    marks = {
        Kind.FRAME: f'<rect x="{end - 5:g}" y="{y - 5:g}" width="10" height="10" fill="{fill}" stroke="{color}"/>',
        Kind.ROTATIONAL: f'<circle cx="{end:g}" cy="{y:g}" r="5.5" fill="{fill}" stroke="{color}"/>',
        Kind.TRANSLATIONAL: f'<path d="M{end - 6.5:g},{y:g} l6.5,-6.5 l6.5,6.5 l-6.5,6.5 z" fill="{fill}" '
        f'stroke="{color}"/>',
    }
    anchor = "end" if side < 0 else "start"
    return (
        f'<line x1="{x:g}" y1="{y:g}" x2="{end:g}" y2="{y:g}" stroke="{color}" stroke-width="1.5"{dash}/>'
        f"{marks[port.kind]}"
        f'<text x="{end + side * 10:g}" y="{y + 4:g}" text-anchor="{anchor}" style="{STYLE}" fill="{color}">'
        f"{port.name}</text>"
    )


def needed(block: type) -> str:
    """Return the parameters that a block needs, with their units."""
    texts = []
    for field in dataclasses.fields(block):
        if field.name == "name" or not (field.default is field.default_factory is dataclasses.MISSING):
            continue
        quantity = field.metadata.get("quantity")
        texts.append(f"`{field.name}`" + ("" if quantity is None or quantity.unit == "1" else f" [{quantity.unit}]"))
    return ", ".join(texts)


def summary(block: type) -> str:
    """Return the first line of the docstring, in Markdown."""
    line = " ".join((block.__doc__ or "").strip().partition("\n\n")[0].split())
    return html.escape(re.sub(r"``([^`]*)``", r"`\1`", line), quote=False).replace("|", "\\|")


def section(block: type) -> str:
    """Return the folder in which a block is declared."""
    return block.__module__.split(".")[2]


def page() -> str:
    """Return the page."""
    lines = [HEADER]
    for folder, (title, words) in SECTIONS.items():
        lines += [f"## {title}\n", f"{words}\n", "| ports | what it is | needs |", "|---|---|---|"]
        for block in (each for each in ALL_BLOCKS if section(each) == folder):
            picture = f"![{block.__name__}](pictures/blocks/{block.__name__}.svg)"
            lines.append(f"| {picture} | {summary(block)} | {needed(block)} |")
        lines.append("")
    return "\n".join(lines).rstrip() + "\n"


def written() -> dict[Path, str]:
    """Return the text of every file that is written."""
    drawings = {HERE / "blocks" / f"{block.__name__}.svg": drawing(block) for block in ALL_BLOCKS}
    return {PAGE: page()} | drawings


if __name__ == "__main__":
    for old in (HERE / "blocks").glob("*.svg"):
        old.unlink()
    for path, text in written().items():
        path.write_text(text, encoding="utf-8")
