"""Feedback: control laws between the inputs of a closed loop and those of the blocks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import casadi as ca


@dataclass(frozen=True, eq=False)
class Feedback:
    """Control laws around a tree, between the inputs of the closed loop and those of the blocks.

    The arguments of all functions are (x, z, u, p) of the closed loop; x ends with the states of the laws.

    Attributes
    ----------
    inputs : casadi.Function
        The inputs of the blocks, in the order of their slices.
    rates : casadi.Function
        Time derivatives of the states of the laws.
    outputs : casadi.Function
        Signals of the laws, in the order of `units`.
    units : dict of str
        Units of the outputs, by name.
    """

    inputs: ca.Function
    rates: ca.Function
    outputs: ca.Function
    units: Mapping[str, str]
