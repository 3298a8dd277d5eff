"""Planned inputs of an arm, its references and their rates among them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from scipy.interpolate import PPoly

from flexblocks.dae.dae import DAE
from flexblocks.dae.reference_chains import reference_chains

from .trajectories import PhaseTrajectory


def arm_inputs(arm: DAE, run: Sequence[PhaseTrajectory], inputs: Mapping[str, PPoly]) -> dict[str, PPoly]:
    """Return the inputs of the arm: those planned, and of references what the planned derivatives integrate to.

    Parameters
    ----------
    arm : DAE
    run : sequence of PhaseTrajectory
    inputs : dict of PPoly
        Of the arm with its references integrated, over the time of the whole motion [s].
    """
    start = {name: run[0].block.w[0, name].value for name in run[0].block.first_order}
    whole: dict[str, Any] = dict(inputs)
    for chain in reference_chains(arm):
        for lower, name in reversed(list(zip(chain.names[: chain.highest], chain.names[1:], strict=False))):
            begin = start[lower] if lower in start else float(arm.u.start[arm.u.index(lower)])
            integral = whole[name].antiderivative()
            integral.c[-1] += begin
            whole[lower] = integral
        for lower, name in zip(chain.names[chain.highest :], chain.names[chain.highest + 1 :], strict=False):
            whole[name] = _derivative(whole[lower])
    return {name: whole[name] for name in arm.u.names if name in whole}


def _derivative(polynomial: PPoly) -> PPoly:
    if len(polynomial.c) > 1:
        return polynomial.derivative()
    return PPoly(np.zeros_like(polynomial.c), polynomial.x, extrapolate=polynomial.extrapolate)
