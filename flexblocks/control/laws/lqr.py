"""The linear-quadratic regulator about a point."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import casadi as ca
import numpy as np

from flexblocks.control.design.design_model import Design, design
from flexblocks.control.design.quadratic_cost import input_weight, state_weight
from flexblocks.control.design.riccati import regulator, sampled_regulator
from flexblocks.control.law import Bound, Law
from flexblocks.control.measured import measured
from flexblocks.control.reference_inputs import References
from flexblocks.control.saturation import Actuators
from flexblocks.dae.dae import DAE
from flexblocks.errors import NameUnknownError, listing, nearest
from flexblocks.statics.operating_point import OperatingPoint


@dataclass(frozen=True, eq=False)
class LQR(Law):
    """u = u0 - K (x - x0), K least in the integral of x'Q x + u'R u for the arm linearised at (x0, u0).

    Parameters
    ----------
    Q : dict or array (nx, nx)
        Weights of squares by the name of a state or output, or of ``"elastic_energy"`` or ``"kinetic_energy"`` [1/J]:
        ``{"joint1.angle": 4e4, "elastic_energy": 800.0}``; or the matrix over the states in their order.
    R : float, dict by input, or array
        Weights of squares of the inputs, > 0.
    at : OperatingPoint or dict, optional
        Where to linearise, see `flexblocks.linearize`; by default the equilibrium next to the start values.
    inputs : sequence of str, optional
        What it drives; by default all inputs of the model.
    references : sequence of str
        States whose place x0 becomes an input of the closed loop, ``reference.joint1.angle``.
    model : DAE, optional
        What the gain is computed for; by default the arm itself. Its states are measured at the arm, by name.

    Notes
    -----
    `Sampled`, it has the gain that is least in the same integral with inputs that are held between samples.
    """

    Q: Any
    R: Any = 1.0
    at: OperatingPoint | Mapping[str, Any] | None = None
    inputs: Sequence[str] | None = None
    references: Sequence[str] = ()
    model: DAE | None = None

    def gain(self, dae: DAE, sample_time: float | None = None) -> np.ndarray:
        """Return K (inputs, states of the model), for continuous time or for a sample time [s].

        Raises
        ------
        FlexblocksError
            A name that is not there; a motion that no input stops, or that is not weighted and does not decay.
        """
        return self._gain(self._design(dae), sample_time)

    def bind(self, dae: DAE, actuators: Actuators) -> Bound:
        del actuators
        return self._bound(dae, None)

    def bind_sampled(self, dae: DAE, actuators: Actuators, sample_time: float) -> Bound:
        del actuators
        return self._bound(dae, sample_time)

    def _design(self, dae: DAE) -> Design:
        return design(self.model or dae, self.at, self.inputs, "LQR")

    def _gain(self, found: Design, sample_time: float | None) -> np.ndarray:
        Q = state_weight(found.lin, self.Q, "LQR")
        R = input_weight(self.R, found.inputs, "LQR")
        if sample_time is None:
            return regulator(found.lin.A, found.B, Q, R, found.lin.states)
        return sampled_regulator(found.lin.A, found.B, Q, R, sample_time, found.lin.states)

    def _bound(self, dae: DAE, sample_time: float | None) -> Bound:
        found = self._design(dae)
        K = self._gain(found, sample_time)
        states = found.lin.states
        for name in self.references:
            if name not in states:
                raise NameUnknownError(
                    f"LQR: references: there is no state '{name}' ({listing(states)}).{nearest(name, states)}"
                )
        references = References()
        deviations = []
        for name, value in zip(states, found.lin.state_values, strict=True):
            variable = measured(dae, name, "LQR")
            place = references.of(variable) if name in self.references else value
            deviations.append(variable.value - place)
        commands = ca.DM(found.u0) - ca.DM(K) @ ca.vertcat(*deviations)
        return Bound(dict(zip(found.inputs, ca.vertsplit(commands), strict=True)), references.variables())
