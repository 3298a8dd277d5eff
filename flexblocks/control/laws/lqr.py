"""Linear-quadratic regulator about an operating point."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from flexblocks.control.design.design_model import DesignModel, design_model
from flexblocks.control.design.quadratic_cost import input_weight, state_weight
from flexblocks.control.design.riccati import regulator_gain, sampled_regulator_gain
from flexblocks.control.law import Bound, Law
from flexblocks.control.laws.state_feedback import state_feedback
from flexblocks.control.saturation import Actuators
from flexblocks.dae.dae import DAE
from flexblocks.statics.operating_point import OperatingPoint


@dataclass(frozen=True, eq=False)
class LQR(Law):
    """LQR u = u0 - K (x - x0): K minimises the integral of x'Q x + u'R u for the arm linearised at (x0, u0).

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
        Inputs that it drives; by default the actuators of the model.
    references : sequence of str
        States whose set point x0 becomes an input of the closed loop, ``reference.joint1.angle``.
    model : DAE, optional
        Design model; by default the arm itself. Its states are measured at the arm, by name.

    Notes
    -----
    `Sampled`, it has the gain that minimises the same integral with inputs held between samples.
    """

    Q: Any
    R: Any = 1.0
    at: OperatingPoint | Mapping[str, Any] | None = None
    inputs: Sequence[str] | None = None
    references: Sequence[str] = ()
    model: DAE | None = None

    def gain(self, dae: DAE, sample_time: float | None = None) -> np.ndarray:
        """Return the gain K (inputs, states of the model), in continuous time or for a sample time [s].

        Raises
        ------
        FlexblocksError
            An unknown name; or a mode that does not decay and is not reached by the inputs or not weighted.
        """
        return self._gain(self._design(dae), sample_time)

    def bind(self, dae: DAE, actuators: Actuators) -> Bound:
        del actuators
        return self._bound(dae, None)

    def bind_sampled(self, dae: DAE, actuators: Actuators, sample_time: float) -> Bound:
        del actuators
        return self._bound(dae, sample_time)

    def _design(self, dae: DAE) -> DesignModel:
        return design_model(self.model or dae, self.at, self.inputs, "LQR")

    def _gain(self, design: DesignModel, sample_time: float | None) -> np.ndarray:
        Q = state_weight(design.lin, self.Q, "LQR")
        R = input_weight(self.R, design.inputs, "LQR")
        if sample_time is None:
            return regulator_gain(design.lin.A, design.B, Q, R, design.lin.states)
        return sampled_regulator_gain(design.lin.A, design.B, Q, R, sample_time, design.lin.states)

    def _bound(self, dae: DAE, sample_time: float | None) -> Bound:
        design = self._design(dae)
        K = self._gain(design, sample_time)
        return state_feedback(dae, design, K, design.lin.states, self.references, "LQR")
