"""Linear model of an arm about an operating point."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from flexblocks.errors import ComputationError, FlexblocksError
from flexblocks.lazy_package import upper
from flexblocks.libraries import optional
from flexblocks.linear.controllability import ControllabilityReport, controllability_report
from flexblocks.linear.forms.linear_system import LinearSystem
from flexblocks.linear.forms.minimal_form import eliminated_at_rest
from flexblocks.linear.modes import Modes, modal_analysis
from flexblocks.linear.verification import LinearCheck, check, validity
from flexblocks.rich_display import Animated, RichDisplay

if TYPE_CHECKING:
    from collections.abc import Sequence

    import control
    import pandas

    from flexblocks.dae.dae import DAE
    from flexblocks.modeling.model import Model


@dataclass(frozen=True, eq=False, repr=False)
class LinearModel(LinearSystem, RichDisplay, Animated):
    """Linear model: a linear system with its analyses (modes, controllability, checks) and conversions.

    Its fields are those of `flexblocks.linear.forms.linear_system.LinearSystem`.
    """

    @property
    def dae(self) -> DAE | None:
        """The arm, as at the operating point; None for a model that was pickled, or read from a file without it."""
        return self.operating_point.dae

    def of(self, dae: DAE) -> LinearModel:
        """Return this model with the arm it is of; see the attribute ``dae``.

        Raises
        ------
        ParameterError
            The arm has other states, algebraic variables, inputs or parameters.
        """
        return replace(self, operating_point=self.operating_point.of(dae))

    @property
    def model(self) -> Model | None:
        """The model of the arm; None if `dae` is, or is a closed loop of control."""
        return self.operating_point.model

    @property
    def poles(self) -> np.ndarray:
        """The poles (n,) [1/s], from slow to fast: one for each state of the minimal form.

        Those of rigid-body motions are exactly 0, as often as they occur.
        """
        values = self.modes().eigenvalue
        paired = [pole for value in values if value for pole in ([value, value.conjugate()] if value.imag else [value])]
        at_rest = len(self.minimal().states) - len(paired)
        return np.array([0.0] * at_rest + paired, dtype=complex)

    def minimal(self) -> LinearModel:
        """Return the minimal form, with independent states only and E the identity."""
        return eliminated_at_rest(self) if self.equations else self

    def modes(self) -> Modes:
        """Return the modes: frequency [rad/s], damping ratio and participation of each block.

        For the descriptor form these are the modes of its finite eigenvalues.

        See Also
        --------
        flexblocks.linear.modes.modal_analysis : definition of participation and rigid-body modes.
        """
        if self.equations:
            return self.minimal().modes()
        if self.basis is None:
            return modal_analysis(self.A, self.states, self.structure)
        return modal_analysis(self.A, self.basis.states, self.structure, self.basis.matrix)

    def report(self) -> ControllabilityReport:
        """Return the report of controllability and observability: ranks, and measures for each mode.

        See Also
        --------
        flexblocks.linear.controllability.controllability_report : definition of the measures.
        """
        small = self.minimal()
        modes = tuple(small.modes())
        return controllability_report(small.A, small.B, small.C, self.inputs, self.outputs, small.states, modes)

    def check(self, dae: DAE) -> LinearCheck:
        """Compare A, B, C and D with finite differences of the nonlinear equations of the DAE that they came from.

        The differences are of the accelerations that simulations integrate, with loops closed and algebraic variables
        solved for at every step, and come with an error estimate (`flexblocks.linear.verification.differences`).

        Returns
        -------
        LinearCheck
            The largest difference and its position.

        Raises
        ------
        ComputationError
            An entry differs by more than the error of finite differences.
        ParameterError
            The model is reduced, or belongs to another DAE.
        """
        return check(dae, self.minimal())

    def validity(self, dae: DAE, errors: Sequence[float] = (0.01, 0.1)) -> pandas.DataFrame:
        """Return the range of validity: for each state and input the amplitudes at which the model has given errors.

        Parameters
        ----------
        dae : DAE
            The DAE of the model.
        errors : sequence of float
            Relative errors, by default 1 % and 10 %.

        Returns
        -------
        pandas.DataFrame
            A row for each state and input, moved alone, to the worse side: its unit, the amplitudes, and what exceeds
            the first error: the ``"rates"``, or the ``"effects of inputs"`` there. Infinite if the error stays below
            up to the largest amplitude tried, a hundred times the characteristic magnitude: 10 rad, 1 m.

        Raises
        ------
        ParameterError
            As for `check`; or `errors` are not between 0 and 1.

        Notes
        -----
        Rates of states are weighted by kinetic energy, so that the fastest modes are the first to exceed the error.
        Rates of coordinates are weighted by the frequency of the slowest oscillating mode.
        """
        small = self.minimal()
        slowest = min((mode.frequency for mode in small.modes() if mode.frequency > 0), default=1.0)
        return validity(dae, small, errors, slowest)

    @upper
    def plot(self, ax: Any = None, *, reach: float | None = None) -> Any:
        """Draw the map of poles, up to `reach` [rad/s], and return the axes; see `flexblocks.plot.eigenvalues`."""

    @upper
    def save(self, path: str | Path) -> None:
        """Write a ``.mat``, ``.json`` or ``.npz`` file, which `flexblocks.load` opens, or code, ``.m`` or ``.py``.

        See `flexblocks.export.save_linear`.

        Raises
        ------
        FileFormatError
            The suffix is none of these.
        ParameterError
            The stem of an ``.m`` file is not a valid MATLAB function name.
        """

    def __str__(self) -> str:
        try:
            return f"{self!r}\n{self.modes()}"
        except FlexblocksError as error:  # a model without modes is a model still
            return f"{self!r}\n{error}"

    @property
    def control_names(self) -> dict[str, str]:
        """Names of inputs and outputs in python-control, by their name here: ``{"payload.x": "payload_x"}``.

        python-control reserves the dot in names of signals; it is replaced by an underscore.

        Raises
        ------
        ComputationError
            Two inputs, or two outputs, would get the same name.
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
            An input and an output have the same label.
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
        """Return a python-control StateSpace of the minimal form, as python-control has no E.

        States keep their names; in those of inputs, outputs and the system each dot becomes an underscore:
        ``name = lin.control_names; ss[name["payload.x"], name["motor1.torque"]]``; `original_names` leads back.
        """
        optional("control", "LinearModel.to_control")
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


def _without_dots(name: str) -> str:
    return name.replace(".", "_")
