"""Planned motions in the groups of the arm's own variables, among which references and their rates are inputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np
from scipy.interpolate import PPoly

from flexblocks.dae.dae import DAE
from flexblocks.dae.reference_chains import reference_chains
from flexblocks.simulation.trajectory import Trajectory

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
    return {name: whole[name] for name in arm.u.names}


def regrouped(dae: DAE, motion: Trajectory, known: Mapping[str, PPoly] = MappingProxyType({})) -> Trajectory:
    """Return a motion in the groups of another DAE of the same arm, by the names of its variables.

    Inputs that are `known` over the time of the motion [s] are evaluated; all else is taken from the motion.
    """
    names = {group: getattr(dae, group).names for group in "xzuy"}
    columns = {
        group: [_at(known[name], motion.t) if name in known else motion[name] for name in names[group]]
        for group in names
    }
    groups = {group: np.reshape(values, (-1, len(motion.t))).T for group, values in columns.items()}
    units = {
        name: unit
        for group in names
        for name, unit in zip(getattr(dae, group).names, getattr(dae, group).units, strict=True)
    }
    units = dict(motion.units) | units
    return replace(motion, model=dae.name, names={**motion.names, **names}, units=units, dae=dae, **groups)


def _at(polynomial: PPoly, times: np.ndarray) -> np.ndarray:
    return polynomial(np.clip(times, polynomial.x[0], polynomial.x[-1]))


def _derivative(polynomial: PPoly) -> PPoly:
    if len(polynomial.c) > 1:
        return polynomial.derivative()
    return PPoly(np.zeros_like(polynomial.c), polynomial.x, extrapolate=polynomial.extrapolate)
