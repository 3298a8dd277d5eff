"""Damping of beams fitted to damping ratios of the modes of an arm.

What is chosen for each beam, c_b, enters the damping matrix linearly, D = D_0 + sum c_b D_b, so that
d zeta_k / d c_b = phi_k' D_b phi_k / (2 omega_k) to first order, for shapes of unit modal mass. With this slope, which
errs by the square of the ratio, and zeta_k of the poles themselves, c >= 0 follows in a few steps.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.errors import ComputationError, ParameterError, listing
from flexblocks.libraries import scipy
from flexblocks.linear.derivatives import derivatives
from flexblocks.linear.linear_model import LinearModel
from flexblocks.linear.linearize import linear_model
from flexblocks.linear.modes import Modes
from flexblocks.statics.operating_point import OperatingPoint

# A mode that stores less of its energy in the beams is one of springs or of weight, which beams barely damp.
SHARE = 0.1
# First a part of the damping, which barely changes modes, then twice as much, and so on to all of it.
STAGES = (1 / 32, 1 / 16, 1 / 8, 1 / 4, 1 / 2)
STEPS = 50


def linear_with(arm: DAE, point: OperatingPoint, values: np.ndarray) -> LinearModel:
    """Return the linear model of the arm at rest with these values of its parameters, which move no equilibrium."""
    point = replace(point, p=values)
    (slopes,) = derivatives(arm, [point])
    return linear_model(arm, point, slopes, (), "minimal")


def too_much(names: list[str], ratio: float) -> ComputationError:
    """Return the error of damping that would be critical."""
    return ComputationError(
        f"choose_damping: modes of this arm have {100 * ratio:.3g} % with no damping below critical of "
        f"{listing(names)}; choose a lower ratio, or add a damper."
    )


def fitted_damping(
    arm: DAE, point: OperatingPoint, names: list[str], others: list[str], count: int | None, ratio: float
) -> tuple[np.ndarray, LinearModel, list[int]]:
    """Return the damping of each beam, the arm with it, and the indices of the modes that it was fitted to.

    Parameters
    ----------
    arm : DAE
        Its symbolic parameters are the damping of the beams `names`.
    point : OperatingPoint
    names, others : list of str
        The beams whose damping is fitted, and the other ones.
    count : int or None
        How many modes shall have the ratio, the slowest that bend the beams; None is for each beam the slowest that
        bends it more than any other one.
    ratio : float

    Raises
    ------
    ComputationError, ParameterError
        There are no such modes, or fewer; or they would be damped critically on the way.
    """
    lin = linear_with(arm, point, np.zeros(len(names)))
    mass = lin.structure.mass
    unit = [linear_with(arm, point, row).structure.damping - lin.structure.damping for row in np.eye(len(names))]
    modes = lin.modes()
    fitted = _slowest(lin, modes, names, others, count)
    before = modes.damping_ratio[fitted]
    J = _slopes(modes, fitted, unit)
    if not J.any(axis=0).all():
        still = listing(name for name, column in zip(names, J.T, strict=True) if not column.any())
        raise ComputationError(
            f"choose_damping: {still} takes no part in the modes that shall be damped; name the other beams, or choose "
            "more modes."
        )
    # The same share of the whole for each beam, from which the smallest steps lead on.
    scale = 1 / J.max(axis=0)
    values = STAGES[0] * scale * max(float(np.mean(ratio - before)), 0.0) / (J @ scale).mean()
    values += _step(J, before + STAGES[0] * (ratio - before) - (before + J @ values), values, scale)
    for stage in (*STAGES, *np.ones(STEPS)):
        lin, last = linear_with(arm, point, values), modes
        modes = lin.modes()
        fitted = _followed(mass, last, fitted, modes)
        if np.any(np.imag(modes.eigenvalue[fitted]) <= 0):
            raise too_much(names, ratio)
        J = _slopes(modes, fitted, unit)
        following = before + (2 * stage if stage < 1 else 1.0) * (ratio - before)
        step = _step(J, following - modes.damping_ratio[fitted], values, scale)
        if stage == 1 and np.max(np.abs(step) / scale) < 1e-12:
            break
        values = np.maximum(values + step, 0.0)
    return values, lin, fitted


def _step(J: np.ndarray, miss: np.ndarray, values: np.ndarray, scale: np.ndarray) -> np.ndarray:
    """Return the smallest step that removes as much of what the ratios miss as damping >= 0 can."""
    # Bounds that coincide with the start are on the safe side of it.
    return (
        scale * scipy.optimize.lsq_linear(J * scale, miss, bounds=(-values / scale - 1e-300, np.inf), method="bvls").x
    )


def _slopes(modes: Modes, which: list[int], unit: list[np.ndarray]) -> np.ndarray:
    """Return the derivatives (modes, beams) of damping ratios with respect to the damping of each beam."""
    shapes = modes.shapes[:, which]
    forms = [np.einsum("ik,ij,jk->k", shapes.conj(), D, shapes).real for D in unit]
    return np.array(forms).T / (2 * modes.frequency[which])[:, None]


def _slowest(lin: LinearModel, modes: Modes, names: list[str], others: list[str], count: int | None) -> list[int]:
    """Return the indices of the slowest modes that bend the beams, or of one for each beam."""
    # Energies (beams, modes) of shapes of unit modal mass.
    energies = np.array([_stored(lin, modes, name) for name in (*names, *others)])
    energy = energies[: len(names)].sum(axis=0)
    bend = [i for i, mode in enumerate(modes) if mode.eigenvalue.imag > 0 and energy[i] > SHARE * mode.frequency**2]
    if not bend:
        raise ComputationError(f"choose_damping: no oscillation of the arm bends {listing(names)}; name other beams.")
    if count is None:
        return _one_each(energies, len(names), bend)
    if isinstance(count, bool) or not isinstance(count, int) or not 1 <= count <= len(bend):
        raise ParameterError(
            f"choose_damping: modes = {count!r}; must be a whole number from 1 to {len(bend)}, the number of modes "
            f"that bend {listing(names)}."
        )
    return bend[:count]


def _stored(lin: LinearModel, modes: Modes, name: str) -> np.ndarray:
    """Return the energy that each mode stores in a beam, twice, of shapes of unit modal mass."""
    K = lin.structure.stored.get(name, 0 * lin.structure.mass)
    return np.einsum("ik,ij,jk->k", modes.shapes.conj(), K, modes.shapes).real


def _one_each(energies: np.ndarray, count: int, bend: list[int]) -> list[int]:
    """Return for each beam the slowest mode that bends it most, and for one that is never bent most another one.

    The slowest modes alone may all be of one beam, as in its two planes of bending, and say nothing about the others.
    The first `count` of the beams with these energies (beams, modes) are to be damped.
    """
    most = energies[:, bend].argmax(axis=0)
    first = {beam: bend[place] for place, beam in reversed(list(enumerate(most.tolist()))) if beam < count}
    others = [i for i in bend if i not in first.values()]
    return sorted([*first.values(), *others[: count - len(first)]])


def _followed(mass: np.ndarray, before: Modes, which: list[int], after: Modes) -> list[int]:
    """Return the indices of the same modes after a change, by their shapes (modal assurance criterion)."""
    same = np.abs(before.shapes[:, which].conj().T @ mass @ after.shapes)
    # Of equal shapes, as of a growing and a decaying motion, the one with the nearer eigenvalue.
    apart = np.abs(before.eigenvalue[which][:, None] - after.eigenvalue) / np.abs(before.eigenvalue[which])[:, None]
    return scipy.optimize.linear_sum_assignment(same - 1e-3 * np.minimum(apart, 1.0), maximize=True)[1].tolist()
