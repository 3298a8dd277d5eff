"""Draw frames, axes and bending planes of a beam: python docs/pictures/bending_planes.py writes bending_planes.svg."""

from __future__ import annotations

from pathlib import Path

import numpy as np

# Oblique projection of (x, y, z): x to the right, y up, z towards the viewer.
PROJECTION = np.array([[1.0, 0.0, -0.42], [0.0, -1.0, 0.30]])
ORIGIN, SCALE = np.array([110.0, 205.0]), 100.0  # px, px a unit
LENGTH, TIP = 3.6, (0.75, 1.5)  # of the beam, and its deflections along y and z
COLORS = {"x": "#b3261e", "y": "#1f6f43", "z": "#0b5cad"}
STYLE = "font-family:ui-sans-serif,system-ui,sans-serif;font-size:15px"


def picture() -> str:
    """Return the drawing."""
    s = np.linspace(0.0, 1.0, 41)
    shape = s**2 * (3 - s) / 2  # a cantilever under a force at its tip
    straight = np.stack([LENGTH * s, 0 * s, 0 * s])
    along_y = straight + np.stack([0 * s, TIP[0] * shape, 0 * s])
    along_z = straight + np.stack([0 * s, 0 * s, TIP[1] * shape])
    slope = 1.5 * TIP[0] / LENGTH
    turned = np.array([[1.0, -slope, 0.0], [slope, 1.0, 0.0], [0.0, 0.0, 1.0]]) / np.hypot(1.0, slope)
    turned[2, 2] = 1.0
    parts = [
        _wall(),
        _area(straight, along_y, COLORS["y"]),
        _area(straight, along_z, COLORS["z"]),
        _line(straight, "#51647a", 7),
        _line(along_y, COLORS["y"], 4),
        _line(along_z, COLORS["z"], 4),
        _frame(np.zeros(3), np.eye(3), ""),
        _frame(along_y[:, -1], turned, "'"),
        _text([-0.75, 1.2, 0.0], "frame_a, the inboard end"),
        _text([LENGTH - 0.55, 1.95, 0.0], "frame_b turns with the tip"),
        _text([0.3, 0.85, 0.0], 'bending="y": in the x-y plane, about z', COLORS["y"]),
        _text([0.75, -0.62, 0.9], 'bending="z": in the x-z plane, about y', COLORS["z"]),
        _text([LENGTH + 0.12, -0.1, 0.0], "x: axis of the beam,", COLORS["x"]),
        _text([LENGTH + 0.12, -0.32, 0.0], "axial=True, torsion=True", COLORS["x"]),
    ]
    body = "\n".join(parts)
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 -16 700 346" width="700">\n{body}\n</svg>\n'


def _at(point: np.ndarray | list[float]) -> np.ndarray:
    return ORIGIN + SCALE * (PROJECTION @ np.asarray(point, dtype=float))


def _path(points: np.ndarray) -> str:
    return " L".join(f"{x:.1f},{y:.1f}" for x, y in (_at(point) for point in points.T))


def _line(points: np.ndarray, color: str, width: float) -> str:
    return f'<path d="M{_path(points)}" fill="none" stroke="{color}" stroke-width="{width}" stroke-linecap="round"/>'


def _area(first: np.ndarray, second: np.ndarray, color: str) -> str:
    return f'<path d="M{_path(np.hstack([first, second[:, ::-1]]))} Z" fill="{color}" opacity="0.14"/>'


def _wall() -> str:
    corners = np.array([[0, 0, 0, 0], [-0.5, 0.5, 0.5, -0.5], [-0.5, -0.5, 0.5, 0.5]])
    return f'<path d="M{_path(corners)} Z" fill="#c9d6e4" stroke="#51647a"/>'


def _frame(origin: np.ndarray, axes: np.ndarray, mark: str) -> str:
    parts = []
    for index, name in enumerate("xyz"):
        tip = origin + 0.95 * axes[:, index]
        (x1, y1), (x2, y2) = _at(origin), _at(tip)
        color, label = COLORS[name], _at(tip + 0.14 * axes[:, index])
        back = _at(tip - 0.13 * axes[:, index])
        across = np.array([-(y2 - y1), x2 - x1]) / np.hypot(x2 - x1, y2 - y1) * 5
        head = " ".join(f"{x:.1f},{y:.1f}" for x, y in ((x2, y2), back + across, back - across))
        parts.append(
            f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{color}" stroke-width="2.5"/>'
            f'<polygon points="{head}" fill="{color}"/>'
            f'<text x="{label[0]:.1f}" y="{label[1] + 5:.1f}" text-anchor="middle" style="{STYLE}" '
            f'fill="{color}">{name}{mark}</text>'
        )
    return "".join(parts)


def _text(point: list[float], words: str, color: str = "#1c2733") -> str:
    x, y = _at(point)
    return f'<text x="{x:.1f}" y="{y:.1f}" style="{STYLE}" fill="{color}">{words}</text>'


if __name__ == "__main__":
    (Path(__file__).parent / "bending_planes.svg").write_text(picture(), encoding="utf-8")
