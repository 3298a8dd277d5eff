"""Numbers that can be computed with: finite, and with powers that are finite, too."""

from __future__ import annotations

from typing import Any

import numpy as np

# Fifth powers stay below 1.8e308, beyond which a product is infinite. No quantity in SI units comes near to it.
LARGEST = 1e60
WITHIN = f"finite, and at most {LARGEST:g} in magnitude".replace("+", "")


def computable(values: Any) -> bool:
    """Whether a number, or all of an array, can be computed with."""
    return bool(np.all(np.abs(values) <= LARGEST))
