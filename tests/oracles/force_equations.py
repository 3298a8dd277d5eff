"""Equations of motion of small machines with cylinders, ropes and contacts, written out in coordinates by hand.

Nothing of the library is used: plain NumPy, one function x -> der(x) a machine.
"""

from __future__ import annotations

import numpy as np

G = 9.81


def smooth(y: float, width: float) -> tuple[float, float]:
    """Return the smooth positive part of `y` and its slope."""
    root = np.hypot(y, width)
    return (y + root) / 2, (1 + y / root) / 2


def edges(a: float, b: float, valve: float, h: dict[str, float]) -> tuple[float, float, float, float]:
    """Flows [m3/s] through the edges of a servo valve: supply to a, a to tank, supply to b, b to tank."""

    def edge(opening: float, drop: float) -> float:
        laminar = 1e-3 * h["supply"]
        return h["flow"] * opening * drop / (drop * drop + laminar * laminar) ** 0.25 / np.sqrt(h["drop"])

    opened = (valve + np.hypot(valve, 2 * h["null"])) / 2
    closed = (-valve + np.hypot(valve, 2 * h["null"])) / 2
    return (
        edge(opened, h["supply"] - a),
        edge(closed, a - h["tank"]),
        edge(closed, h["supply"] - b),
        edge(opened, b - h["tank"]),
    )


def boom(x: np.ndarray, valve: float, h: dict[str, float]) -> np.ndarray:
    """A rod hinged at the origin of the xy plane, lifted by a cylinder from (cx, cy) to a point at `reach` on the rod.

    x: angle, rate, pressure a, pressure b.
    """
    angle, rate, a, b = x
    c, s = np.cos(angle), np.sin(angle)
    dx, dy = h["reach"] * c - h["cx"], h["reach"] * s - h["cy"]
    length = np.sqrt(dx * dx + dy * dy)
    lever = h["reach"] * (-s * dx + c * dy) / length
    speed = lever * rate
    stroke = h["extended"] - h["retracted"]
    dead = h["dead_volume"] * h["area_a"] * stroke
    into_a = h["area_a"] * (length - h["retracted"]) + dead
    into_b = h["area_b"] * (h["extended"] - length) + dead

    leak = h["leakage"] * (a - b)
    in_a, out_a, in_b, out_b = edges(a, b, valve, h)
    flow_a, flow_b = in_a - out_a, in_b - out_b
    stop = 10 * h["bulk"] * h["area_a"] / stroke
    low, high = (smooth(depth, 1e-3 * stroke) for depth in (h["retracted"] - length, length - h["extended"]))
    force = a * h["area_a"] - b * h["area_b"] - h["friction"] * speed + stop * (low[0] * low[1] - high[0] * high[1])
    inertia, moment = h["mass"] * h["rod"] ** 2 / 3, h["mass"] * h["rod"] / 2
    return np.array(
        [
            rate,
            (force * lever - moment * G * c) / inertia,
            h["bulk"] / into_a * (flow_a - leak - h["area_a"] * speed),
            h["bulk"] / into_b * (flow_b + leak + h["area_b"] * speed),
        ]
    )


def hoist(x: np.ndarray, speed: float, h: dict[str, float]) -> np.ndarray:
    """A point mass in the xy plane on an elastic rope from (0, 0) over a block at (bx, by), wound up by a winch.

    x: place (2), velocity (2), unstretched length.
    """
    px, py, vx, vy, length = x
    dx, dy = px - h["bx"], py - h["by"]
    hanging = np.sqrt(dx * dx + dy * dy)
    path = np.hypot(h["bx"], h["by"]) + hanging
    growth = (dx * vx + dy * vy) / hanging
    strain, rate = path / length - 1, growth / length - path / length**2 * speed
    part, slope = smooth(strain + h["time"] * rate, h["transition"])
    tension = h["rigidity"] * part * slope
    return np.array([vx, vy, -tension * dx / hanging / h["mass"], -tension * dy / hanging / h["mass"] - G, speed])


def ball(x: np.ndarray, h: dict[str, float]) -> np.ndarray:
    """A ball in the xy plane above the slope y = x tan(slope), with spin.

    x: place (2), angle, velocity (2), spin.
    """
    px, py, _, vx, vy, spin = x
    nx, ny = -np.sin(h["slope"]), np.cos(h["slope"])
    part, side = smooth(h["radius"] - (nx * px + ny * py), h["transition"])
    closing = nx * vx + ny * vy
    elastic = h["stiffness"] * part * side
    normal = elastic * smooth(1 - h["damping"] * closing, 0.1)[0] / smooth(1.0, 0.1)[0]
    # Along the slope (ny, -nx); the deepest point of the ball moves with the spin.
    slip = ny * vx - nx * vy + h["radius"] * spin
    drag = -h["friction"] * normal * slip / np.hypot(slip, h["velocity"])
    inertia = 0.4 * h["mass"] * h["radius"] ** 2
    return np.array(
        [
            vx,
            vy,
            spin,
            (normal * nx + drag * ny) / h["mass"],
            (normal * ny - drag * nx) / h["mass"] - G,
            drag * h["radius"] / inertia,
        ]
    )
