"""The course of a first guess: a smooth motion through postures, from rest to rest."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.interpolate import BSpline, make_interp_spline

# A share of the duration, and the states there.
Waypoint = tuple[float, np.ndarray]


def course(waypoints: Sequence[Waypoint]) -> BSpline:
    """Return the quintic spline over the share of the duration through states, the first at 0 and the last at 1.

    Its first two derivatives are zero at both ends and the first four continuous between. With two waypoints it is the
    quintic from rest to rest.
    """
    shares, states = zip(*waypoints, strict=True)
    still = [(order, np.zeros_like(states[0])) for order in (1, 2)]
    return make_interp_spline(np.array(shares), np.array(states), k=5, bc_type=(still, still))
