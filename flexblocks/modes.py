"""Modes of a linear model: how fast, how damped, and where the energy sits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from flexblocks.eigenmodes import Eigenmode, conservative, general
from flexblocks.structure import Structure

if TYPE_CHECKING:
    import pandas

# A mode that stores less than this share of its energy elastically swings by gravity, drifts or creeps.
ELASTIC = 0.01
# Below this share of coordinates in its shape, a mode is one of first-order states.
MECHANICAL = 1e-9


@dataclass(frozen=True, eq=False)
class Mode:
    """One mode: a pair of conjugate eigenvalues, a real one, or a rigid-body motion.

    Attributes
    ----------
    eigenvalue : complex
        [1/s]; of a pair the one with a positive imaginary part. Exactly 0 for a rigid-body motion.
    shape : ndarray (n,), complex
        Over the coordinates, with unit modal mass; its largest entry is real and positive.
    participation : dict of float
        Share of each block, largest first; they add up to 1.
    energy : "strain", "kinetic" or "state"
        What is shared: elastic energy; kinetic energy where next to none is stored elastically (rigid-body
        motions, pendulums); squares of first-order states in a mode in which no coordinate takes part.
    """

    eigenvalue: complex
    shape: np.ndarray
    participation: Mapping[str, float]
    energy: str

    @property
    def frequency(self) -> float:
        """Natural frequency, the magnitude of the eigenvalue [rad/s]."""
        return abs(self.eigenvalue)

    @property
    def damping_ratio(self) -> float:
        """Share of critical damping; negative for a motion that grows, nan for a rigid-body motion."""
        return (0.0 - self.eigenvalue.real) / self.frequency if self.frequency else float("nan")

    def __str__(self) -> str:
        shares = [f"{100 * share:.0f} % {name}" for name, share in self.participation.items() if share >= 0.01]
        return f"{self._motion()}: {', '.join(shares[:4])}"

    def _motion(self) -> str:
        value = self.eigenvalue
        if value == 0:
            return "rigid body"
        if value.imag == 0:
            return f"{'unstable, grows' if value.real > 0 else 'decays'} by e in {1 / abs(value.real):.4g} s"
        unstable = ", unstable" if value.real > 0 else ""
        return f"{self.frequency / (2 * np.pi):.4g} Hz, {100 * self.damping_ratio:.2g} %{unstable}"


@dataclass(frozen=True, eq=False)
class Modes:
    """All modes of a linear model, from slow to fast.

    Iterates over `Mode`; ``len(modes)`` and ``modes[i]`` work too.

    Attributes
    ----------
    coordinates : tuple of str
        Names (n) to which the shapes refer.
    modes : tuple of Mode
    """

    coordinates: tuple[str, ...]
    modes: tuple[Mode, ...]

    def __len__(self) -> int:
        return len(self.modes)

    def __iter__(self) -> Iterator[Mode]:
        return iter(self.modes)

    def __getitem__(self, index: int) -> Mode:
        return self.modes[index]

    @property
    def eigenvalue(self) -> np.ndarray:
        """Eigenvalues (k,) [1/s]."""
        return np.array([mode.eigenvalue for mode in self.modes], dtype=complex)

    @property
    def frequency(self) -> np.ndarray:
        """Natural frequencies (k,) [rad/s]."""
        return np.array([mode.frequency for mode in self.modes], dtype=float)

    @property
    def damping_ratio(self) -> np.ndarray:
        """Damping ratios (k,)."""
        return np.array([mode.damping_ratio for mode in self.modes], dtype=float)

    @property
    def shapes(self) -> np.ndarray:
        """Shapes (n, k), complex, one mode a column."""
        columns = [mode.shape for mode in self.modes]
        return np.array(columns, dtype=complex).reshape(len(columns), len(self.coordinates)).T

    @property
    def blocks(self) -> tuple[str, ...]:
        """Names of all blocks that take part in any mode."""
        return tuple(dict.fromkeys(sorted(name for mode in self.modes for name in mode.participation)))

    def to_pandas(self) -> pandas.DataFrame:
        """Return a table, one mode a row: frequency [rad/s], damping ratio, eigenvalue, energy, share of each block."""
        import pandas

        rows = [
            {
                "frequency": mode.frequency,
                "damping_ratio": mode.damping_ratio,
                "eigenvalue": mode.eigenvalue,
                "energy": mode.energy,
                **{name: mode.participation.get(name, 0.0) for name in self.blocks},
            }
            for mode in self.modes
        ]
        columns = ["frequency", "damping_ratio", "eigenvalue", "energy", *self.blocks]
        return pandas.DataFrame(rows, columns=columns, index=pandas.RangeIndex(1, len(rows) + 1, name="mode"))

    def __str__(self) -> str:
        return "\n".join(f"mode {number}, {mode}" for number, mode in enumerate(self.modes, 1))


def find_modes(A: np.ndarray, states: tuple[str, ...], structure: Structure, basis: np.ndarray | None = None) -> Modes:
    """Return the modes of x' = A x.

    Parameters
    ----------
    A : ndarray (nx, nx)
    states : tuple of str
        Names (n) of the states, of the whole model if it is a reduced one.
    structure : Structure
    basis : ndarray (n, nx), optional
        The states of the whole model that x stands for.

    Notes
    -----
    Without damping and first-order states the symmetric problem K q = omega^2 M q is solved, and the damping of what
    swings is exactly zero. A rigid-body motion (a double eigenvalue 0) is one mode of frequency exactly 0. A motion
    without stiffness but with friction is a mode at 0 and another that decays.
    """
    n = len(structure.coordinates)
    if basis is not None:
        found = [Eigenmode(mode.eigenvalue, basis @ mode.shape) for mode in general(A)]
    elif len(states) == 2 * n and structure.conserves_energy:
        found = conservative(structure.mass, structure.stiffness)
    else:
        found = general(A)
    found.sort(key=lambda mode: (abs(mode.eigenvalue), -mode.eigenvalue.real))
    return Modes(structure.coordinates, tuple(_mode(mode, states, structure) for mode in found))


def _mode(found: Eigenmode, states: tuple[str, ...], structure: Structure) -> Mode:
    n = len(structure.coordinates)
    shape = found.shape[:n].astype(complex)
    modal_mass = _quadratic(structure.mass, shape)
    if np.linalg.norm(shape) > MECHANICAL * np.linalg.norm(found.shape):
        shape = shape / np.sqrt(modal_mass)
        shares, energy = _energies(found.eigenvalue, shape, structure)
    else:
        squares = np.abs(found.shape[2 * n :]) ** 2
        shares, energy = {}, "state"
        for name, square in zip(states[2 * n :], squares, strict=True):
            block = name.rpartition(".")[0]
            shares[block] = shares.get(block, 0.0) + float(square)
    largest = shape[np.argmax(np.abs(shape))] if n else 1.0
    shape = shape * abs(largest) / largest if largest else shape
    total = sum(shares.values())
    ordered = sorted(shares.items(), key=lambda item: -item[1])
    return Mode(complex(found.eigenvalue), shape, {name: share / total for name, share in ordered}, energy)


def _energies(eigenvalue: complex, shape: np.ndarray, structure: Structure) -> tuple[dict[str, float], str]:
    """Return the energy of each block in a mode of unit modal mass, and its kind."""
    stored = {name: _quadratic(K, shape) for name, K in structure.stored.items()}
    strain = sum(stored.values())
    if eigenvalue != 0 and strain > ELASTIC * abs(eigenvalue) ** 2:
        return stored, "strain"
    return {name: _quadratic(M, shape) for name, M in structure.kinetic.items()}, "kinetic"


def _quadratic(matrix: np.ndarray, shape: np.ndarray) -> float:
    return float(np.real(shape.conj() @ matrix @ shape))
