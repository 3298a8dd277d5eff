"""Time-varying linear-quadratic regulator along a motion, its gains as reference inputs."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import casadi as ca
import numpy as np

from flexblocks.control.design.driven_inputs import driven_inputs
from flexblocks.control.design.quadratic_cost import input_weight, state_weight
from flexblocks.control.design.riccati import cost_to_go
from flexblocks.control.law import Bound, Law
from flexblocks.control.measured import Measured, measured
from flexblocks.control.reference_inputs import References, grouped
from flexblocks.control.references.follow import follow, held_at_end
from flexblocks.control.saturation import Actuators
from flexblocks.dae.dae import DAE
from flexblocks.errors import ComputationError, FlexblocksWarning, ParameterError, listing
from flexblocks.interfaces.variables import variables
from flexblocks.libraries import scipy
from flexblocks.linear.linearize import linearize
from flexblocks.simulation.signals.signal import TimeSignal
from flexblocks.simulation.trajectory import Trajectory

# Samples of the gains along the motion, joined by cubic splines, and steps of the integration between two samples, each
# exact for constant A and B. By trial.
SAMPLES, STEPS = 101, 4


@dataclass(frozen=True, eq=False)
class TimeVaryingLQR(Law):
    """Time-varying LQR u = u_r(t) - K(t) (x - x_r(t)): K minimises the integral of x'Q x + u'R u along a motion.

    Parameters
    ----------
    motion : Trajectory or Plan
        A motion of the same arm, along which it is linearised; at rest at its end.
    Q, R
        As for `LQR`; weights by name are resolved at the end of the motion.

    Notes
    -----
    The equations of a closed loop do not depend on time: the motion and the gains are reference inputs,
    ``reference.joint1.angle``, ``gain.motor1.torque.joint1.angle``, which `signals` returns. The Riccati equation is
    integrated backwards from its stationary solution at the end, so that the arm is held there when the motion is over.
    """

    motion: Any
    Q: Any
    R: Any = 1.0

    @property
    def trajectory(self) -> Trajectory:
        """The motion as a trajectory."""
        trajectory = self.motion if isinstance(self.motion, Trajectory) else getattr(self.motion, "trajectory", None)
        if not isinstance(trajectory, Trajectory):
            raise ParameterError(f"TimeVaryingLQR: motion = {self.motion!r}; must be a Trajectory or a Plan.")
        return trajectory

    def measured_states(self, dae: DAE) -> tuple[str, ...]:
        """Return the states that the law measures, in the order of the columns of K."""
        return dae.x.names

    def driven(self, dae: DAE) -> tuple[str, ...]:
        """Return the inputs that the law drives, in the order of the rows of K."""
        return driven_inputs(dae, None)

    def bind(self, dae: DAE, actuators: Actuators) -> Bound:
        del actuators
        references = References()
        states = [measured(dae, name, "TimeVaryingLQR") for name in self.measured_states(dae)]
        deviation = ca.vertcat(*[state.value - references.of(state) for state in states])
        driven = self.driven(dae)
        inputs = [Measured(name, ca.SX(dae.u.symbol[dae.u.index(name)]), dae.u.unit(name), 0.0) for name in driven]
        gains = variables("reference", [(_gain(u.name, x.name), "", 0.0) for u in inputs for x in states])
        K = ca.reshape(gains.symbol, len(states), len(inputs)).T
        commands = ca.vertcat(*[references.of(entry) for entry in inputs]) - K @ deviation
        return Bound(
            dict(zip(driven, ca.vertsplit(commands), strict=True)),
            grouped("reference", [references.variables(), gains]),
        )

    def signals(self, dae: DAE, closed: DAE) -> dict[str, TimeSignal]:
        """Return the reference inputs of the closed loop, for `flexblocks.simulate`: the motion and the gains.

        Parameters
        ----------
        dae : DAE
            The arm.
        closed : DAE
            The closed loop that `close_loop` returned.

        Raises
        ------
        ComputationError
            The arm cannot be stabilised at the end of the motion, or the gains diverge along it.
        """
        times, K = self.gains(dae)
        inputs = follow(closed, self.motion)
        for i, driven in enumerate(self.driven(dae)):
            for j, state in enumerate(self.measured_states(dae)):
                inputs[_gain(driven, state)] = held_at_end(scipy.interpolate.CubicSpline(times, K[:, i, j]))
        return inputs

    def gains(self, dae: DAE) -> tuple[np.ndarray, np.ndarray]:
        """Return times (k,) [s] and the gains K (k, nu, nx) there, a row for each driven input.

        Raises
        ------
        ComputationError
            As from `signals`.
        ParameterError
            The motion has no value of a symbolic parameter of the arm.
        """
        # The stationary regulator at the end of the motion.
        motion = self.trajectory
        if unknown := [name for name in dae.p.names if name not in motion.p]:
            raise ParameterError(
                f"TimeVaryingLQR: motion has no value of {listing(unknown)}, which is symbolic in the arm; must be of "
                "an arm with the same symbolic parameters. Give `signals` and `gains` the arm of the motion."
            )
        p = np.array([motion.p[name] for name in dae.p.names])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FlexblocksWarning)  # a plan ends at rest only to its own accuracy
            lin = linearize(dae, {"x": motion.x[-1], "u": motion.u[-1], "p": p})
        if len(dae.z) or lin.states != dae.x.names:
            raise ParameterError(
                "TimeVaryingLQR: the arm has algebraic variables or dependent states; must have neither. Use PD or "
                "PID, or fixed mode shapes."
            )
        driven = self.driven(dae)
        Q, R = state_weight(lin, self.Q, "TimeVaryingLQR"), input_weight(self.R, driven, "TimeVaryingLQR")
        columns = [dae.u.index(name) for name in driven]
        x, u = scipy.interpolate.CubicSpline(motion.t, motion.x), scipy.interpolate.CubicSpline(motion.t, motion.u)
        function = _jacobians(dae)

        def derivatives(t: float) -> tuple[np.ndarray, np.ndarray]:
            A, B = (J.full() for J in function(x(t), u(t), p))
            return A, B[:, columns]

        P = cost_to_go(lin.A, lin.B[:, columns], Q, R, lin.states)
        # From there backwards in time, the gain at each sample.
        times = np.linspace(motion.t[0], motion.t[-1], SAMPLES)
        step = (times[1] - times[0]) / STEPS
        gains = []
        for t in times[::-1]:
            gains.append(np.linalg.solve(R, derivatives(t)[1].T @ P))
            for k in range(STEPS):
                P = _riccati_step_back(P, *derivatives(max(t - (k + 0.5) * step, times[0])), Q, R, step)
        if not np.all(np.isfinite(gains)):
            raise ComputationError(
                "TimeVaryingLQR: the gains are not finite along the motion; must be. Choose weights of less different "
                "magnitude, or a motion that stays clear of singular postures."
            )
        return times, np.array(gains[::-1])


def _riccati_step_back(
    P: np.ndarray, A: np.ndarray, B: np.ndarray, Q: np.ndarray, R: np.ndarray, step: float
) -> np.ndarray:
    """Return the cost-to-go matrix one step earlier, with A and B constant over it, by the flow of the Hamiltonian."""
    n = len(A)
    H = np.block([[A, -B @ np.linalg.solve(R, B.T)], [-Q, -A.T]])
    flow = scipy.linalg.expm(-step * H)
    X, Y = flow[:n, :n] + flow[:n, n:] @ P, flow[n:, :n] + flow[n:, n:] @ P
    P = np.linalg.solve(X.T, Y.T).T
    return (P + P.T) / 2


def _gain(driven: str, state: str) -> str:
    """Return the name of the reference input that holds one gain."""
    return f"gain.{driven}.{state}"


@lru_cache(maxsize=8)
def _jacobians(dae: DAE) -> ca.Function:
    """Return the function (x, u, p) -> Jacobians A (nx, nx) and B (nx, nu) of der(x)."""
    x, u, p = dae.x.symbol, dae.u.symbol, dae.p.symbol
    jacobians = [ca.densify(ca.jacobian(dae.expressions.rate, group)) for group in (x, u)]
    return ca.Function("jacobians", [x, u, p], ca.cse(jacobians))
