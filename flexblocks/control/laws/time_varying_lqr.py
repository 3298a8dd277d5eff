"""The regulator along a motion: gains that change with time, as reference inputs."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import casadi as ca
import numpy as np
import scipy.linalg
from scipy.interpolate import CubicSpline

from flexblocks.control.design.quadratic_cost import input_weight, state_weight
from flexblocks.control.design.riccati import cost_to_go
from flexblocks.control.law import Bound, Law
from flexblocks.control.measured import Measured, measured
from flexblocks.control.reference_inputs import References, grouped
from flexblocks.control.references.follow import follow, held_at_end
from flexblocks.control.saturation import Actuators
from flexblocks.dae.dae import DAE
from flexblocks.errors import ComputationError, FlexblocksWarning, ParameterError
from flexblocks.interfaces.variables import variables
from flexblocks.linear.linearize import linearize
from flexblocks.simulation.signal import TimeSignal
from flexblocks.simulation.trajectory import Trajectory

SAMPLES, STEPS = 101, 4  # of the gains along the motion, and of the integration between two of them


@dataclass(frozen=True, eq=False)
class TimeVaryingLQR(Law):
    """u = r(t) - K(t) (x - x_r(t)) along a motion of an arm, K least in the integral of x'Q x + u'R u.

    Parameters
    ----------
    motion : Trajectory or Plan
        What it is linearised along: of the same arm, at rest at its end.
    Q, R
        As for `LQR`, at the end of the motion.

    Notes
    -----
    The equations of a closed loop do not depend on time: the motion and the gains are reference inputs,
    ``reference.joint1.angle``, ``gain.motor1.torque.joint1.angle``, which `signals` gives. Riccati's equation is
    followed backward from its stationary solution at the end, so that the arm is held there when the motion is over.
    """

    motion: Any
    Q: Any
    R: Any = 1.0

    @property
    def trajectory(self) -> Trajectory:
        """The states along the motion."""
        found = self.motion if isinstance(self.motion, Trajectory) else getattr(self.motion, "trajectory", None)
        if not isinstance(found, Trajectory):
            raise ParameterError(f"TimeVaryingLQR: motion = {self.motion!r}; must be a Trajectory or a Plan.")
        return found

    def bind(self, dae: DAE, actuators: Actuators) -> Bound:
        del actuators
        references = References()
        states = [measured(dae, name, "TimeVaryingLQR") for name in dae.x.names]
        deviation = ca.vertcat(*[state.value - references.of(state) for state in states])
        inputs = [Measured(name, dae.u.symbol[i], dae.u.units[i], 0.0) for i, name in enumerate(dae.u.names)]
        gains = variables("reference", [(_gain(u.name, x.name), "", 0.0) for u in inputs for x in states])
        K = ca.reshape(gains.symbol, len(states), len(inputs)).T
        commands = ca.vertcat(*[references.of(entry) for entry in inputs]) - K @ deviation
        return Bound(
            dict(zip(dae.u.names, ca.vertsplit(commands), strict=True)),
            grouped("reference", [references.variables(), gains]),
        )

    def signals(self, dae: DAE, closed: DAE) -> dict[str, TimeSignal]:
        """Return the reference inputs of the closed loop for `flexblocks.simulate`: the motion and the gains.

        Parameters
        ----------
        dae : DAE
            The arm.
        closed : DAE
            What `close_loop` made of it.

        Raises
        ------
        ComputationError
            The arm cannot be held at the end of the motion, or the gains grow beyond all bounds on the way.
        """
        times, K = self.gains(dae)
        found = follow(closed, self.motion)
        for i, driven in enumerate(dae.u.names):
            for j, state in enumerate(dae.x.names):
                found[_gain(driven, state)] = held_at_end(CubicSpline(times, K[:, i, j]))
        return found

    def gains(self, dae: DAE) -> tuple[np.ndarray, np.ndarray]:
        """Return times (k,) [s] and the gains K (k, nu, nx) there.

        Raises
        ------
        ComputationError
            As from `signals`.
        """
        motion = self.trajectory
        p = np.array([motion.p[name] for name in dae.p.names])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FlexblocksWarning)  # a plan ends at rest to its own accuracy
            lin = linearize(dae, {"x": motion.x[-1], "u": motion.u[-1], "p": p})
        if len(dae.z) or lin.states != dae.x.names:
            raise ParameterError("TimeVaryingLQR: the arm has algebraic variables or dependent states; not supported.")
        Q, R = state_weight(lin, self.Q, "TimeVaryingLQR"), input_weight(self.R, dae.u.names, "TimeVaryingLQR")
        x, u = CubicSpline(motion.t, motion.x), CubicSpline(motion.t, motion.u)
        function = _jacobians(dae)

        def derivatives(t: float) -> tuple[np.ndarray, np.ndarray]:
            A, B = (J.full() for J in function(x(t), u(t), p))
            return A, B

        P = cost_to_go(lin.A, lin.B, Q, R, lin.states)
        times = np.linspace(motion.t[0], motion.t[-1], SAMPLES)
        step = (times[1] - times[0]) / STEPS
        found = []
        for t in times[::-1]:
            found.append(np.linalg.solve(R, derivatives(t)[1].T @ P))
            for k in range(STEPS):
                P = _earlier(P, *derivatives(max(t - (k + 0.5) * step, times[0])), Q, R, step)
        if not np.all(np.isfinite(found)):
            raise ComputationError("TimeVaryingLQR: the gains grow beyond all bounds on the way.")
        return times, np.array(found[::-1])


def _earlier(P: np.ndarray, A: np.ndarray, B: np.ndarray, Q: np.ndarray, R: np.ndarray, step: float) -> np.ndarray:
    """Return the cost to go a step earlier, with A and B constant over it: the flow of the Hamiltonian matrix."""
    n = len(A)
    H = np.block([[A, -B @ np.linalg.solve(R, B.T)], [-Q, -A.T]])
    flow = scipy.linalg.expm(-step * H)
    X, Y = flow[:n, :n] + flow[:n, n:] @ P, flow[n:, :n] + flow[n:, n:] @ P
    P = np.linalg.solve(X.T, Y.T).T
    return (P + P.T) / 2


def _gain(driven: str, state: str) -> str:
    return f"gain.{driven}.{state}"


@lru_cache(maxsize=8)
def _jacobians(dae: DAE) -> ca.Function:
    """Return the function (x, u, p) -> derivatives of der(x) in x and in u."""
    x, u, p = dae.x.symbol, dae.u.symbol, dae.p.symbol
    jacobians = [ca.densify(ca.jacobian(dae.rate_expression, group)) for group in (x, u)]
    return ca.Function("jacobians", [x, u, p], ca.cse(jacobians))
