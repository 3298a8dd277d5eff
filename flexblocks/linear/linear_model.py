"""The linear model of an arm about an operating point."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from flexblocks.errors import ComputationError
from flexblocks.linear.controllability import Reach, find_reach
from flexblocks.linear.minimal_form import eliminated_at_rest
from flexblocks.linear.modes import Modes, find_modes
from flexblocks.linear.second_order_form import Structure
from flexblocks.linear.verification import LinearCheck, check, validity
from flexblocks.statics.operating_point import OperatingPoint

if TYPE_CHECKING:
    from collections.abc import Sequence

    import control
    import pandas

    from flexblocks.dae.dae import DAE


@dataclass(frozen=True, eq=False)
class Basis:
    """What the states of a reduced model stand for: the n `states` of the whole model are ``matrix @ x``, (n, nx)."""

    states: tuple[str, ...]
    matrix: np.ndarray


@dataclass(frozen=True, eq=False)
class LinearModel:
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
    structure : Structure
        The second-order form, by block.
    basis : Basis or None
        Of a reduced model: the states of the whole model that its states stand for; the structure is of those.
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
    structure: Structure
    basis: Basis | None = None
    equations: tuple[str, ...] = ()
    equation_units: tuple[str, ...] = ()

    @property
    def form(self) -> str:
        """``"minimal"`` or ``"descriptor"``."""
        return "descriptor" if self.equations else "minimal"

    def minimal(self) -> LinearModel:
        """Return the minimal form: independent states alone, E the identity; itself if it is that already."""
        return eliminated_at_rest(self) if self.equations else self

    @property
    def state_values(self) -> np.ndarray:
        """The states (nx,) at the operating point."""
        return np.array([self.operating_point[name] for name in self.states], dtype=float)

    def modes(self) -> Modes:
        """Return the modes: frequency [rad/s], damping ratio and the share of each block.

        Those of the descriptor form are its finite ones: what belongs to infinite eigenvalues is taken out first.

        See Also
        --------
        flexblocks.linear.modes.find_modes : how shares and rigid-body modes are defined.
        """
        if self.equations:
            return self.minimal().modes()
        if self.basis is None:
            return find_modes(self.A, self.states, self.structure)
        return find_modes(self.A, self.basis.states, self.structure, self.basis.matrix)

    def report(self) -> Reach:
        """Return what inputs can move and outputs can see: ranks, and how well for each mode.

        See Also
        --------
        flexblocks.linear.reach.find_reach : how it is measured.
        """
        small = self.minimal()
        modes = tuple(small.modes())
        return find_reach(small.A, small.B, small.C, self.inputs, self.outputs, small.states, modes)

    def check(self, dae: DAE) -> LinearCheck:
        """Compare A, B, C and D with finite differences of the nonlinear equations of the DAE that they came from.

        Those are taken of the accelerations that simulations integrate, loops closed and algebraic variables solved for
        at every step, and say themselves how exact they are (`flexblocks.linear.verification.differences`).

        Returns
        -------
        LinearCheck
            The largest difference and where it is.

        Raises
        ------
        ComputationError
            An entry differs by more than finite differences can be off.
        ParameterError
            The model is a reduced one, or of another DAE.
        """
        return check(dae, self)

    def validity(self, dae: DAE, errors: Sequence[float] = (0.01, 0.1)) -> pandas.DataFrame:
        """Return how far the model holds: amplitudes at which it is off by given shares, for each state and input.

        Parameters
        ----------
        dae : DAE
            That it came from.
        errors : sequence of float
            Shares, by default 1 % and 10 %.

        Returns
        -------
        pandas.DataFrame
            A row for each state and input, moved alone, to the worse side: its unit, the amplitudes, and what is off
            first: the ``"rates"``, or the ``"effects of inputs"`` in the place where it is. Infinite where nothing is
            off as far as was tried, a hundred times what is much: 10 rad, 1 m.

        Raises
        ------
        ParameterError
            As for `check`; or `errors` are no shares.

        Notes
        -----
        Rates of states count by their kinetic energy, as accelerations of all modes; the fastest are the first to be
        off. Rates of coordinates count at the frequency of the slowest mode that swings.
        """
        return validity(dae, self, errors)

    @property
    def control_names(self) -> dict[str, str]:
        """Names of inputs and outputs in python-control, by their name here: ``{"payload.x": "payload_x"}``.

        python-control keeps the dot to itself in the names of signals; an underscore takes its place.

        Raises
        ------
        ComputationError
            Two inputs, or two outputs, would get one name.
        """
        for group in (self.inputs, self.outputs):
            by_name: dict[str, str] = {}
            for name in group:
                other = by_name.setdefault(_without_dots(name), name)
                if other != name:
                    raise ComputationError(
                        f"LinearModel '{self.name}': '{other}' and '{name}' would both be '{_without_dots(name)}' "
                        "in python-control, which allows no dot in names; rename a block, or leave an output out."
                    )
        return {name: _without_dots(name) for name in (*self.inputs, *self.outputs)}

    @property
    def original_names(self) -> dict[str, str]:
        """Names here, by the labels of states, inputs and outputs in python-control: ``{"payload_x": "payload.x"}``.

        Raises
        ------
        ComputationError
            An input and an output have one label.
        """
        names = {name: name for name in self.minimal().states}
        for name, label in self.control_names.items():
            other = names.setdefault(label, name)
            if other != name:
                raise ComputationError(
                    f"LinearModel '{self.name}': '{other}' and '{name}' are both '{label}' in python-control; rename a "
                    "block, or leave an output out."
                )
        return names

    def to_control(self) -> control.StateSpace:
        """Return a python-control StateSpace, which has no E, of the minimal form.

        States keep their names; in those of inputs, outputs and the system each dot becomes an underscore:
        ``name = lin.control_names; ss[name["payload.x"], name["motor1.torque"]]``; `original_names` leads back.
        """
        import control  # slow to import, and few who linearise need it

        names, small = self.control_names, self.minimal()
        return control.StateSpace(
            small.A,
            small.B,
            small.C,
            small.D,
            states=list(small.states),
            inputs=[names[name] for name in self.inputs],
            outputs=[names[name] for name in self.outputs],
            name=_without_dots(self.name),
        )

    def __repr__(self) -> str:
        return (
            f"LinearModel({self.name!r}: {len(self.states)} states, {len(self.inputs)} inputs, "
            f"{len(self.outputs)} outputs{', descriptor form' if self.equations else ''})"
        )


def _without_dots(name: str) -> str:
    return name.replace(".", "_")
