"""Linear systems: E der(x) = A x + B u, y = C x + D u about an operating point, by name."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexblocks.linear.forms.second_order_form import SecondOrderForm
from flexblocks.statics.operating_point import OperatingPoint


@dataclass(frozen=True, eq=False)
class Basis:
    """Basis of a reduced model: the n `states` of the full model are ``matrix @ x``, matrix (n, nx)."""

    states: tuple[str, ...]
    matrix: np.ndarray


@dataclass(frozen=True, eq=False)
class LinearSystem:
    """E der(x) = A x + B u, y = C x + D u, for small deviations from the operating point.

    Attributes
    ----------
    name : str
        Of the model.
    A : ndarray (nx, nx)
    B : ndarray (nx, nu)
    C : ndarray (ny, nx)
    D : ndarray (ny, nu)
    E : ndarray (nx, nx)
        In the minimal form the identity: algebraic variables are eliminated and the mass matrix is solved with. In the
        descriptor form (`flexblocks.linear.descriptor`) the mass matrix, and zero where an equation is algebraic.
    states, inputs, outputs : tuple of str
        Names. The states of the minimal form are those of the DAE, in its order, of closed loops the independent ones;
        of the descriptor form all, then algebraic variables, then the forces that keep loops closed.
    state_units, input_units, output_units : tuple of str
    operating_point : OperatingPoint
    structure : SecondOrderForm
        The second-order form, by block.
    basis : Basis or None
        Basis of a reduced model; the structure refers to the states of the full model.
    equations, equation_units : tuple of str
        Of the descriptor form: names and units of the rows of E, A and B; the unit of an algebraic equation is not
        known and empty. Of the minimal form, whose rows are the rates of its states, empty.
    """

    name: str
    A: np.ndarray
    B: np.ndarray
    C: np.ndarray
    D: np.ndarray
    E: np.ndarray
    states: tuple[str, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    state_units: tuple[str, ...]
    input_units: tuple[str, ...]
    output_units: tuple[str, ...]
    operating_point: OperatingPoint
    structure: SecondOrderForm
    basis: Basis | None = None
    equations: tuple[str, ...] = ()
    equation_units: tuple[str, ...] = ()

    @property
    def form(self) -> str:
        """``"minimal"`` or ``"descriptor"``."""
        return "descriptor" if self.equations else "minimal"

    @property
    def state_values(self) -> np.ndarray:
        """The states (nx,) at the operating point."""
        return np.array([self.operating_point[name] for name in self.states], dtype=float)

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}({self.name!r}: {len(self.states)} states, {len(self.inputs)} inputs, "
            f"{len(self.outputs)} outputs{', descriptor form' if self.equations else ''})"
        )
