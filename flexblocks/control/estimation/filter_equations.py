"""Extended Kalman filter in discrete time as expressions: correction by measurements, one after the other; prediction.

    correction:  for each measured variable j, with its row c of the Jacobian of h at the prediction,
                 s = c P c' + R_j,  k = P c'/s,  x <- x + k (y_j - h_j(x-) - c (x - x-)),
                 P <- (I - k c) P (I - k c)' + k R_j k'                                   (Joseph's form)
    prediction:  x <- F(x, u),  P <- A P A' + G Q G'

F is an implicit step of the equations of motion and A, G are its exact derivatives. Measurements whose noises are
independent may be taken one by one, which needs no inverse and lets some of them be missing (Bar-Shalom, Li &
Kirubarajan, Estimation with Applications to Tracking and Navigation, sections 5.4 and 7.2).
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
import numpy as np

from flexblocks.control.design.implicit_step import implicit_step
from flexblocks.control.estimation.observer import sensor_functions
from flexblocks.dae.dae import DAE
from flexblocks.linear.linear_model import LinearModel


@dataclass(frozen=True, eq=False)
class Noise:
    """Noise that the filter reckons with.

    Attributes
    ----------
    measured : ndarray or SX (ny,)
        Variances of the measurements [unit^2].
    inputs : ndarray or SX (nu,)
        Variances of the measured inputs, which err by the same over a sample [unit^2].
    process_inputs : ndarray (nu,)
        Spectral densities of what disturbs through inputs [unit^2 s].
    process_states : dict of float
        Spectral densities of what disturbs the rates of some states, by their positions.
    """

    measured: np.ndarray | ca.SX
    inputs: np.ndarray | ca.SX
    process_inputs: np.ndarray
    process_states: dict[int, float]


@dataclass(frozen=True, eq=False)
class Correction:
    """Estimate after a sample, and how far the sample was from what was predicted.

    Attributes
    ----------
    x, P : SX (nx, 1), (nx, nx)
    innovation : SX (ny, 1)
        Measured less predicted.
    covariance : SX (ny, ny)
        Of the innovation, as the filter predicts it.
    nis : SX (1, 1)
        Normalised innovation squared, of what was measured.
    gain : SX (nx, ny)
        By which innovations move the estimate; 0 where nothing was measured.
    whitening : SX (ny, ny)
        Makes white noise of unit variance of the innovations of a consistent filter; 0 where nothing was measured.
    """

    x: ca.SX
    P: ca.SX
    innovation: ca.SX
    covariance: ca.SX
    nis: ca.SX
    gain: ca.SX
    whitening: ca.SX


@dataclass(frozen=True, eq=False)
class FilterEquations:
    """Equations of the filter of one model, with the parameters p (np, 1), by default those of the operating point."""

    model: DAE
    lin: LinearModel
    noise: Noise
    where: str
    p: ca.SX | None = None

    @property
    def parameters(self) -> ca.SX:
        return ca.SX(ca.DM(self.lin.operating_point.p)) if self.p is None else self.p

    def corrected(self, x: ca.SX, P: ca.SX, y: ca.SX, u: ca.SX, known: ca.SX | None = None) -> Correction:
        """Return the estimate after a sample y (ny, 1), with inputs u (nu, 1); `known` (ny, 1) is 0 where y is not."""
        expected, H, direct, _ = sensor_functions(self.model, self.lin.outputs, self.where)(x, u, self.parameters)
        R = ca.SX(self.noise.measured) + (direct**2) @ ca.SX(self.noise.inputs)
        innovation = y - expected
        if known is not None:
            innovation = ca.if_else(known > 0, innovation, 0)
        covariance = H @ P @ H.T + ca.diag(R)
        predicted, nis = x, ca.SX(0)
        # What was measured counts by the estimate that the ones before it have corrected.
        gain, whitening = ca.SX(x.shape[0], y.shape[0]), []
        for j in range(y.shape[0]):
            row = ca.sparsify(H[j, :])
            g = P @ row.T
            s = row @ g + R[j]
            left = innovation[j] - row @ (x - predicted)
            weight = 1 / s if known is None else known[j] / s
            k = g * weight
            share = ca.SX.eye(y.shape[0])[j, :] - row @ gain
            gain = gain + k @ share
            whitening.append((1 if known is None else known[j]) * share / ca.sqrt(s))
            nis = nis + left**2 * weight
            x = x + k * left
            T = P - k @ g.T
            P = _symmetric(T - (T @ row.T) @ k.T + R[j] * k @ k.T)
        return Correction(x, P, innovation, covariance, nis, gain, ca.vertcat(*whitening))

    def predicted(self, x: ca.SX, P: ca.SX, u: ca.SX, step: ca.SX | float) -> tuple[ca.SX, ca.SX]:
        """Return the estimate and its covariance a step [s] later, with inputs u (nu, 1) held."""
        after, A, G, variances = self._step(x, u, step)
        return after, _symmetric((A @ P) @ A.T + (G @ ca.diag(variances)) @ G.T)

    def stationary_noise(self, step: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return A, G Q G' (nx, nx) and the variances R (ny,) at the operating point, for a sample time [s]."""
        point = self.lin.operating_point
        x, u = ca.SX.sym("x", len(point.x)), ca.SX.sym("u", len(point.u))
        _, A, G, variances = self._step(x, u, step)
        A, G, variances = (
            np.array(value) for value in ca.Function("step", [x, u], [A, G, variances])(point.x, point.u)
        )
        R = np.asarray(self.noise.measured) + self.lin.D**2 @ np.asarray(self.noise.inputs)
        return A, G @ np.diag(variances.ravel()) @ G.T, R

    def _step(self, x: ca.SX, u: ca.SX, step: ca.SX | float) -> tuple[ca.SX, ca.SX, ca.SX, ca.SX]:
        """Return the state a step later, its derivatives A and G, and the variances of what G belongs to."""
        noise, disturbed = self.noise, list(self.noise.process_states)
        own = implicit_step(self.model, x, u, self.parameters, step, disturbed)
        of_inputs = ca.SX(noise.inputs)
        inputs = [i for i in range(of_inputs.numel()) if not of_inputs[i].is_zero() or noise.process_inputs[i]]
        # White noise that is held over a sample has the variance density / sample time.
        densities = [*noise.process_inputs[inputs], *noise.process_states.values()]
        held = ca.vertcat(ca.densify(of_inputs[inputs]), ca.SX.zeros(len(disturbed)))
        variances = held + ca.SX(ca.DM(densities)) / step
        return own.after, own.by_state, ca.horzcat(own.by_inputs[:, inputs], own.by_rates), variances


def _symmetric(matrix: ca.SX) -> ca.SX:
    return ca.triu2symm(ca.triu(ca.densify(matrix)))
