"""Scales of inverse statics: how large this arm makes its unknowns, the balance of forces and prescribed values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import casadi as ca
import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.dynamics.algorithms.frame_motions import POSITION, split_name
from flexblocks.statics.balance import unknown_slices
from flexblocks.statics.operating_point import OperatingPoint

from ...tolerances import RESIDUE
from ..equilibrium import arm_length, arm_units

SAMPLES = 8  # postures whose largest slopes count: that of a stretched arm has none along the arm


@dataclass(frozen=True, eq=False)
class PostureScale:
    """Magnitudes in inverse statics.

    Attributes
    ----------
    unknowns : ndarray (ns,)
    balance : ndarray (nb,)
        Of the forces, rates and closures that balance.
    values : ndarray (m,)
        Of the prescribed values: what the arm changes them by.
    energy : float
        Of the distance q' M q between postures.
    """

    unknowns: np.ndarray
    balance: np.ndarray
    values: np.ndarray
    energy: float


def posture_scale(
    dae: DAE,
    near: OperatingPoint,
    names: Sequence[str],
    equations: ca.Function,
    mass: np.ndarray,
    starts: Sequence[np.ndarray],
) -> PostureScale:
    """Return the magnitudes of inverse statics around some postures.

    Angles count as one radian and ways as the arm's length. A row of the balance is as large as the forces that these
    change it by, and its weight; every other unknown as large as what balances them. Physically similar arms so make
    one program, in grams and centimetres or tons and decametres.

    Parameters
    ----------
    dae : DAE
    near : OperatingPoint
    names : sequence of str
        Of the prescribed values.
    equations : casadi.Function
        s -> balance (nb,), values (m,), and their Jacobians in s.
    mass : ndarray (n, n)
    starts : sequence of ndarray (ns,)
    """
    balance, _, J, slopes = (
        np.nanmax(np.abs([np.where(np.isfinite(value), value, np.nan) for value in part]), axis=0, initial=0.0)
        for part in zip(*([value.full() for value in equations(s)] for s in starts[:SAMPLES]), strict=True)
    )
    n, moved = dae.tree.size, slice(unknown_slices(dae).q.stop)
    columns = np.zeros(J.shape[1])
    columns[:n] = arm_units(dae, near)
    rows = np.max(J[:, moved] * columns[moved], axis=1, initial=0.0)
    rows[:n] = np.maximum(rows[:n], balance.ravel()[:n])
    units = np.array(dae.x.units[:n])
    for unit in set(units):
        alike = np.flatnonzero(units == unit)
        # Below it is a force across its direction
        rows[alike] = np.where(rows[alike] < RESIDUE * rows[alike].max(), 0.0, rows[alike])
    # Unknowns by the rows that have a size, then rows by the unknowns, until all that are connected have one.
    while True:
        sized, open_ = rows > 0, columns == 0
        share = np.max(J[np.ix_(sized, open_)] / rows[sized, None], axis=0, initial=0.0)
        columns[open_] = np.where(share > 0, 1 / np.where(share > 0, share, 1.0), 0.0)
        rows = np.where(sized, rows, np.max(J * columns, axis=1, initial=0.0))
        if np.all((columns == 0) == open_):
            break
    columns[columns == 0] = 1.0
    rows = np.where(rows > 0, rows, np.max(J * columns, axis=1, initial=0.0))
    values = np.max(slopes * columns, axis=1, initial=0.0)
    places = [split_name(name) for name in names]
    for i, place in enumerate(places):
        if place is not None and place[1] in POSITION:
            values[i] = arm_length(dae, near)
    energy = float(np.max(np.diag(mass) * columns[:n] ** 2, initial=0.0))
    rows, values = (np.where(each > 0, each, 1.0) for each in (rows, values))
    return PostureScale(columns, rows, values, energy or 1.0)
