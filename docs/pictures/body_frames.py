"""Draw the frames and interfaces of a flexible body: python docs/pictures/body_frames.py writes body_frames.svg."""

from __future__ import annotations

from pathlib import Path

# An L: its outline (x, y), and for each interface its name, its place, and the ends of its face.
OUTLINE = ((40, 200), (330, 200), (330, 40), (290, 40), (290, 160), (40, 160))
INTERFACES = (
    ("frame_a", (40, 180), ((40, 160), (40, 200)), (-2, 236)),
    ("frame_b", (310, 40), ((290, 40), (330, 40)), (350, 44)),
    ("elbow", (330, 180), ((330, 166), (330, 194)), (374, 184)),
)
AXIS = 34
STYLE = "font-family:sans-serif;font-size:14px"


def picture() -> str:
    """Return the drawing."""
    points = " ".join(f"{x},{y}" for x, y in OUTLINE)
    parts = [f'<polygon points="{points}" fill="#c9d6e4" stroke="#51647a" stroke-width="1.5"/>']
    parts += [_bent()]
    for name, (x, y), ((x1, y1), (x2, y2)), (tx, ty) in INTERFACES:
        parts.append(f'<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" stroke="#b3541e" stroke-width="5"/>')
        parts.append(_axes(x, y))
        parts.append(f'<text x="{tx}" y="{ty}" style="{STYLE}">{name}</text>')
    parts.append(f'<text x="60" y="146" style="{STYLE}" fill="#51647a">nodes inside follow the modes</text>')
    parts.append(f'<text x="40" y="270" style="{STYLE}" fill="#b3541e">faces of interfaces stay rigid</text>')
    body = "\n".join(parts)
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="-20 -30 480 310" width="600">\n{body}\n</svg>\n'


def _axes(x: float, y: float) -> str:
    tips = (("x", x + AXIS, y), ("y", x, y - AXIS))
    lines = [
        f'<line x1="{x}" y1="{y}" x2="{u}" y2="{v}" stroke="#1f6f43" stroke-width="2"/>'
        f'<text x="{u + 3}" y="{v + 4}" style="{STYLE}" fill="#1f6f43">{name}</text>'
        for name, u, v in tips
    ]
    return "".join(lines)


def _bent() -> str:
    return (
        '<path d="M40,200 C140,200 260,206 326,226 L352,66 L312,58 L294,184 C240,168 140,160 40,160" '
        'fill="none" stroke="#51647a" stroke-dasharray="5,4"/>'
    )


if __name__ == "__main__":
    (Path(__file__).parent / "body_frames.svg").write_text(picture(), encoding="utf-8")
