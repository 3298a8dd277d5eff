"""Participation factors: which share of a mode's energy is whose."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from flexblocks.linear.forms.second_order_form import SecondOrderForm

# What the coordinates of a beam are called, and what it does with them.
KINDS = {
    "bending": "bending",
    "bend": "bending",
    "deflection": "bending",
    "slope": "bending",
    "torsion": "torsion",
    "extension": "extension",
}


def strain_energies(structure: SecondOrderForm, shape: np.ndarray) -> dict[str, float]:
    """Return twice the elastic energy of each block in a shape (n,)."""
    return {name: quadratic(K, shape) for name, K in structure.stored.items()}


def kinetic_energies(structure: SecondOrderForm, shape: np.ndarray) -> dict[str, float]:
    """Return twice the kinetic energy of each block in a shape (n,) of rates."""
    return {name: quadratic(M, shape) for name, M in structure.kinetic.items()}


def deformation_energies(structure: SecondOrderForm, shape: np.ndarray) -> dict[str, float]:
    """Return twice the elastic energy of each block, a beam's by what it does.

    A beam's energy is shared among its own coordinates, each with the work of its force on it. Where loops make these
    depend on others it stays whole.
    """
    found: dict[str, float] = {}
    for block, K in structure.stored.items():
        work = np.real(shape.conj() * (K @ shape))
        kinds = [_kind(block, name) for name in structure.coordinates]
        own = np.array([kind != "" for kind in kinds])
        if not own.any() or abs(work[~own]).sum() > 1e-9 * abs(work).sum():
            found[block] = float(work.sum())
            continue
        for kind, part in zip(kinds, work.tolist(), strict=True):
            if kind:
                found[f"{block} {kind}"] = found.get(f"{block} {kind}", 0.0) + part
    return found


def state_energies(names: tuple[str, ...], values: np.ndarray) -> dict[str, float]:
    """Return the squares of first-order states, added up by block."""
    found: dict[str, float] = {}
    for name, value in zip(names, values, strict=True):
        block = name.rpartition(".")[0]
        found[block] = found.get(block, 0.0) + float(abs(value) ** 2)
    return found


def shares(energies: Mapping[str, float]) -> dict[str, float]:
    """Return shares of the whole, largest first; none of nothing."""
    whole = sum(energies.values())
    if not whole:
        return {}
    return {name: value / whole for name, value in sorted(energies.items(), key=lambda item: -item[1])}


def together(*groups: Mapping[str, float]) -> dict[str, float]:
    """Return the energies of several kinds added up."""
    found: dict[str, float] = {}
    for group in groups:
        for name, value in group.items():
            found[name] = found.get(name, 0.0) + value
    return found


def quadratic(matrix: np.ndarray, shape: np.ndarray) -> float:
    """Return shape' matrix shape."""
    return float(np.real(shape.conj() @ matrix @ shape))


def _kind(block: str, coordinate: str) -> str:
    """Return what a block does with a coordinate of its own; nothing for those of others and of joints."""
    owner, _, name = coordinate.rpartition(".")
    return KINDS.get(name.partition("[")[0].partition("_")[0], "") if owner == block else ""
