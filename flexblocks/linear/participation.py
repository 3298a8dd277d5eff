"""Participation factors: distribution of a mode's energy over the blocks."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from flexblocks.linear.forms.second_order_form import SecondOrderForm

# Type of deformation of a beam, by the first word of the name of its coordinate.
KINDS = {
    "bending": "bending",
    "bend": "bending",
    "deflection": "bending",
    "slope": "bending",
    "curvature": "bending",
    "shear": "shear",
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
    """Return twice the elastic energy of each block, that of beams by type of deformation.

    The energy of a beam is the sum over its coordinates of the work of the elastic force on each. It is not split if
    loops make these coordinates dependent.
    """
    energies: dict[str, float] = {}
    for block, K in structure.stored.items():
        work = np.real(shape.conj() * (K @ shape))
        kinds = [_kind(block, name) for name in structure.coordinates]
        of_block = np.array([kind != "" for kind in kinds])
        if not of_block.any() or abs(work[~of_block]).sum() > 1e-9 * abs(work).sum():
            energies[block] = float(work.sum())
            continue
        for kind, part in zip(kinds, work.tolist(), strict=True):
            if kind:
                energies[f"{block} {kind}"] = energies.get(f"{block} {kind}", 0.0) + part
    return energies


def state_energies(names: tuple[str, ...], values: np.ndarray) -> dict[str, float]:
    """Return the squares of first-order states, added up by block."""
    energies: dict[str, float] = {}
    for name, value in zip(names, values, strict=True):
        block = name.rpartition(".")[0]
        energies[block] = energies.get(block, 0.0) + float(abs(value) ** 2)
    return energies


def shares(energies: Mapping[str, float]) -> dict[str, float]:
    """Return energies as fractions of their sum, largest first; empty if the sum is zero."""
    whole = sum(energies.values())
    if not whole:
        return {}
    return {name: value / whole for name, value in sorted(energies.items(), key=lambda item: -item[1])}


def together(*groups: Mapping[str, float]) -> dict[str, float]:
    """Return the energies of several kinds added up."""
    total: dict[str, float] = {}
    for group in groups:
        for name, value in group.items():
            total[name] = total.get(name, 0.0) + value
    return total


def quadratic(matrix: np.ndarray, shape: np.ndarray) -> float:
    """Return the quadratic form shape' matrix shape."""
    return float(np.real(shape.conj() @ matrix @ shape))


def _kind(block: str, coordinate: str) -> str:
    """Return the type of deformation of a beam's coordinate; empty for coordinates of other blocks and of joints."""
    owner, _, name = coordinate.rpartition(".")
    return KINDS.get(name.partition("[")[0].partition("_")[0], "") if owner == block else ""
