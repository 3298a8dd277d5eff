"""Colours of what is drawn, by its role; of runs, and of values."""

from __future__ import annotations

import numpy as np

# Role: colour, metalness, roughness, opacity.
ROLES: dict[str, tuple[str, float, float, float]] = {
    "link": ("#5b8fd6", 0.15, 0.45, 1.0),
    "joint": ("#e8eaee", 0.35, 0.35, 1.0),
    "rim": ("#3a4250", 0.5, 0.4, 1.0),
    "motor": ("#474f5d", 0.55, 0.38, 1.0),
    "body": ("#aab4c3", 0.3, 0.5, 1.0),
    "payload": ("#e2672a", 0.1, 0.45, 1.0),
    "center": ("#f7d154", 0.1, 0.5, 1.0),
    "ground": ("#59616e", 0.2, 0.7, 1.0),
    "strut": ("#97a1b1", 0.4, 0.45, 1.0),
    "barrel": ("#e0a126", 0.3, 0.4, 1.0),
    "rod": ("#cfd6e0", 0.8, 0.25, 1.0),
    "rope": ("#a07a3c", 0.1, 0.8, 1.0),
    "spring": ("#2aa57a", 0.4, 0.4, 1.0),
    "contact": ("#b57edc", 0.1, 0.5, 0.55),
    "plane": ("#b57edc", 0.0, 0.9, 0.25),
    "force": ("#b5489a", 0.1, 0.5, 1.0),
    "torque": ("#1593a5", 0.1, 0.5, 1.0),
    "obstacle": ("#d64545", 0.0, 0.8, 0.38),
    "keep-in": ("#3fa35a", 0.0, 0.8, 0.16),
    "via": ("#b5489a", 0.0, 0.5, 0.9),
}
# Links of further runs, so that overlaid ones can be distinguished.
RUNS = ("#5b8fd6", "#e07b39", "#36a37c", "#b06ec4", "#c9a227", "#d6568f")
# Paths of their tips.
PATHS = ("#d9622b", "#a5521f", "#1f7f5f", "#8a4c9e", "#96790f", "#a8376a")


def rgb(color: str) -> np.ndarray:
    """Return the components (3,) from 0 to 1 of ``#rrggbb``."""
    return np.array([int(color[i : i + 2], 16) for i in (1, 3, 5)]) / 255


def link_color(run: int) -> str:
    """Return the colour of the links of a run."""
    return RUNS[run % len(RUNS)]
