"""Span: the part of a line between two points that something takes up, in shares of it or as a length."""

from __future__ import annotations

import numpy as np

# A second number from here on is a length [m] plus this: a cylinder's barrel keeps its length.
LENGTH = 10.0
FULL = (0.0, 1.0)


def length(value: float) -> float:
    """Return the end of a span that keeps a length [m]."""
    return LENGTH + value


def ends(a: np.ndarray, b: np.ndarray, span: tuple[float, float]) -> tuple[np.ndarray, np.ndarray]:
    """Return the ends (..., 3) of a span of the line from a (..., 3) to b (..., 3)."""
    line = b - a
    whole = np.linalg.norm(line, axis=-1, keepdims=True)
    shares = [
        np.minimum((end - LENGTH) / np.maximum(whole, 1e-300), 1.0) if end >= LENGTH else np.full_like(whole, end)
        for end in span
    ]
    return a + shares[0] * line, a + shares[1] * line
