"""Numbers that can be computed with: finite, and with powers that are finite, too."""

from __future__ import annotations

from typing import Any

import numpy as np

# Fifth powers stay below 1.8e308, beyond which a product is infinite. No quantity in SI units comes near to it.
LARGEST = 1e60


def computable(values: Any) -> bool:
    """Whether a number, or all of an array, can be computed with."""
    return bool(np.all(np.abs(values) <= LARGEST))


def needed(values: Any, words: str = "finite") -> str:
    """Return what numbers that cannot be computed with must be: `words`, or, if they are finite, not so large."""
    return f"at most {LARGEST:.0e} in magnitude".replace("+", "") if bool(np.all(np.abs(values) < np.inf)) else words
