"""Modal analysis of a linear model: frequencies, damping ratios, shapes and participation of blocks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from flexblocks.errors import ParameterError, suggestion
from flexblocks.linear.eigenmodes import Eigenmode, conservative, general
from flexblocks.linear.forms.second_order_form import SecondOrderForm
from flexblocks.linear.mode import Mode
from flexblocks.linear.participation import (
    deformation_energies,
    kinetic_energies,
    quadratic,
    shares,
    state_energies,
    strain_energies,
    together,
)
from flexblocks.rich_display import RichDisplay

if TYPE_CHECKING:
    import pandas

# A mode that stores a smaller fraction of its energy elastically oscillates by gravity, drifts or creeps.
ELASTIC = 0.01
# Energy distributions of a mode that a table can show.
SHARES = ("participation", "deformation", "strain", "kinetic", "total")
# Fraction of coordinates in its shape below which a mode is one of first-order states.
MECHANICAL = 1e-9


@dataclass(frozen=True, eq=False)
class Modes(RichDisplay):
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

    def to_pandas(self, share: str = "participation") -> pandas.DataFrame:
        """Return a table, one mode a row: frequency [rad/s], damping ratio, eigenvalue, energy, share of each block.

        Parameters
        ----------
        share : str
            One of ``"participation"``, ``"deformation"``, ``"strain"``, ``"kinetic"`` or ``"total"``, see `Mode`.

        Raises
        ------
        ParameterError
            Another value of `share`.
        """
        import pandas

        if share not in SHARES:
            raise ParameterError(f"Modes: share = {share!r}{suggestion(share, SHARES, 'must be one of')}")
        named = [getattr(mode, share) for mode in self.modes]
        who = sorted({name for mode in named for name in mode})
        rows = [
            {
                "frequency": mode.frequency,
                "damping_ratio": mode.damping_ratio,
                "eigenvalue": mode.eigenvalue,
                "energy": mode.energy,
                **{name: share_of.get(name, 0.0) for name in who},
            }
            for mode, share_of in zip(self.modes, named, strict=True)
        ]
        columns = ["frequency", "damping_ratio", "eigenvalue", "energy", *who]
        return pandas.DataFrame(rows, columns=columns, index=pandas.RangeIndex(1, len(rows) + 1, name="mode"))

    def __repr__(self) -> str:
        fastest = f", up to {max(self.frequency):.4g} rad/s" if self.modes else ""
        return f"Modes({len(self)}{fastest})"

    def __str__(self) -> str:
        return "\n".join(f"mode {number}, {mode}" for number, mode in enumerate(self.modes, 1))


def modal_analysis(
    A: np.ndarray, states: tuple[str, ...], structure: SecondOrderForm, basis: np.ndarray | None = None
) -> Modes:
    """Return the modes of x' = A x.

    Parameters
    ----------
    A : ndarray (nx, nx)
    states : tuple of str
        Names (n) of the states, of the whole model if it is a reduced one.
    structure : SecondOrderForm
    basis : ndarray (n, nx), optional
        The states of the whole model that x stands for.

    Notes
    -----
    Without damping and first-order states the symmetric problem K q = omega^2 M q is solved, and the damping of
    oscillations is exactly zero. A rigid-body motion (a double eigenvalue 0) is one mode of frequency exactly 0. A
    motion without stiffness but with friction is a mode at 0 and another that decays.
    """
    n = len(structure.coordinates)
    if basis is not None:
        eigenmodes = [Eigenmode(mode.eigenvalue, basis @ mode.shape) for mode in general(A)]
    elif len(states) == 2 * n and structure.conserves_energy:
        eigenmodes = conservative(structure.mass, structure.stiffness)
    else:
        eigenmodes = general(A)
    eigenmodes.sort(key=lambda mode: (abs(mode.eigenvalue), -mode.eigenvalue.real))
    return Modes(structure.coordinates, tuple(_mode(mode, states, structure) for mode in eigenmodes))


def _mode(eigenmode: Eigenmode, states: tuple[str, ...], structure: SecondOrderForm) -> Mode:
    n = len(structure.coordinates)
    shape = eigenmode.shape[:n].astype(complex)
    if np.linalg.norm(shape) > MECHANICAL * np.linalg.norm(eigenmode.shape):
        shape = shape / np.sqrt(quadratic(structure.mass, shape))
        strain = strain_energies(structure, shape)
        # A rigid-body mode drifts at an arbitrary rate.
        rate = abs(eigenmode.eigenvalue) or 1.0
        kinetic = {name: rate**2 * value for name, value in kinetic_energies(structure, shape).items()}
        elastic = eigenmode.eigenvalue != 0 and sum(strain.values()) > ELASTIC * abs(eigenmode.eigenvalue) ** 2
        energy, whose = ("strain", strain) if elastic else ("kinetic", kinetic)
        parts = deformation_energies(structure, shape) if elastic else kinetic
    else:
        energy, strain, kinetic = "state", {}, {}
        parts = whose = state_energies(states[2 * n :], eigenmode.shape[2 * n :])
    largest = shape[np.argmax(np.abs(shape))] if n else 1.0
    shape = shape * abs(largest) / largest if largest else shape
    if not eigenmode.eigenvalue:
        strain = {}
    return Mode(
        eigenvalue=complex(eigenmode.eigenvalue),
        shape=shape,
        energy=energy,
        participation=shares(whose),
        deformation=shares(parts),
        strain=shares(strain),
        kinetic=shares(kinetic),
        total=shares(together(strain, kinetic)),
    )
