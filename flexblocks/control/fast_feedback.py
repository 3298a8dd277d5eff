"""Feedback of the fast subsystem, and its sum with a slow law: composite control."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import casadi as ca
import numpy as np
import scipy.signal

from flexblocks.control.actuators import Actuators
from flexblocks.control.composite import Composite
from flexblocks.control.law import Bound, Law
from flexblocks.control.measured import measured
from flexblocks.control.quadratic_cost import input_weight, state_weight
from flexblocks.control.riccati import regulator
from flexblocks.control.singular_perturbation import SingularPerturbation
from flexblocks.dae import DAE
from flexblocks.errors import ComputationError, ParameterError, listing


@dataclass(frozen=True, eq=False)
class FastFeedback(Law):
    """u_f = -K x_f, x_f = [xi, der(xi)] the deformations of the stiff blocks and their rates.

    Make one by `lqr`, `poles` or `damper`, or give K.

    Parameters
    ----------
    split : SingularPerturbation
    K : array (nu, 2 n_f)
        Rows in the order of the arm's inputs, columns in that of ``split.fast().states``.
    """

    split: SingularPerturbation
    K: np.ndarray

    def __post_init__(self) -> None:
        shape = len(self.split.dae.u), 2 * len(self.split.deformations)
        K = np.asarray(self.K, dtype=float)
        if K.shape != shape or not np.all(np.isfinite(K)):
            raise ParameterError(
                f"FastFeedback: K = {self.K!r}; must be a finite array {shape}, a row for each of "
                f"{listing(self.split.dae.u.names)}, a column for each of {listing(self.split.deformations)} and rates."
            )
        object.__setattr__(self, "K", K)

    @classmethod
    def lqr(
        cls, split: SingularPerturbation, Q: Any, R: Any = 1.0, at: Mapping[str, float] | None = None
    ) -> FastFeedback:
        """Return the law that is least in the integral of x_f'Q x_f + u'R u at a posture; Q and R as for `LQR`.

        Raises
        ------
        FlexblocksError
            A name that is not there; a deformation that no input stops, or that is not weighted.
        """
        fast = split.fast(at)
        weight, cost = state_weight(fast, Q, "FastFeedback.lqr"), input_weight(R, fast.inputs, "FastFeedback.lqr")
        return cls(split, regulator(fast.A, fast.B, weight, cost, fast.states))

    @classmethod
    def poles(
        cls, split: SingularPerturbation, poles: Sequence[complex], at: Mapping[str, float] | None = None
    ) -> FastFeedback:
        """Return the law that gives the fast subsystem these poles [1/s] at a posture.

        Raises
        ------
        ParameterError
            Not 2 n_f poles, or none that real gains can give.
        ComputationError
            They could not be placed.
        """
        fast, wanted = split.fast(at), np.asarray(poles, dtype=complex)
        k = len(fast.states)
        if wanted.shape != (k,) or not np.allclose(np.sort_complex(wanted), np.sort_complex(wanted.conj())):
            raise ParameterError(f"FastFeedback.poles: poles = {poles!r}; must be {k} numbers in conjugate pairs.")
        # Rates of stiff modes are large: rates by the fastest frequency make the rows of A alike.
        T = np.repeat([1.0, float(np.max(np.abs(np.linalg.eigvals(fast.A))))], k // 2)
        A, B = fast.A / T[:, None] * T, fast.B / T[:, None]
        try:
            found: Any = scipy.signal.place_poles(A, B, wanted)
        except ValueError as error:
            raise ComputationError(f"FastFeedback.poles: {error}") from None
        placed = np.asarray(found.gain_matrix)
        got = np.sort_complex(np.linalg.eigvals(A - B @ placed))
        if not np.allclose(got, np.sort_complex(wanted), rtol=1e-3, atol=1e-6 * np.max(np.abs(wanted))):
            raise ComputationError(
                "FastFeedback.poles: the poles could not be placed; put them nearer to those of A_f."
            )
        return cls(split, placed / T)

    @classmethod
    def damper(cls, split: SingularPerturbation, damping: float) -> FastFeedback:
        """Return u_f = -c B'P der(xi): what a damper [N m s/rad] beside each driven spring would do.

        Raises
        ------
        ParameterError
            `damping` is no finite number > 0; the inputs act on no deformation, as where rotors sit on joints.
        """
        if not isinstance(damping, (int, float)) or not np.isfinite(damping) or damping <= 0:
            raise ParameterError(f"FastFeedback.damper: damping = {damping!r}; must be a finite number > 0.")
        dae, motion = split.dae, split.motion
        groups = [dae.x.symbol, dae.z.symbol, dae.u.symbol, dae.p.symbol]
        B = ca.Function("B", groups, [ca.jacobian(dae.applied_expression, dae.u.symbol)])
        shares = motion.P.T @ B(dae.x.start, dae.z.start, dae.u.start, dae.p.start).full()
        if not shares.any():
            raise ParameterError(
                f"FastFeedback.damper: {listing(dae.u.names)} act on none of {listing(split.deformations)}; use "
                "FastFeedback.lqr, or tell the rigid motion by other coordinates (slow=[...])."
            )
        return cls(split, damping * np.hstack([np.zeros_like(shares.T), shares.T]))

    def bind(self, dae: DAE, actuators: Actuators) -> Bound:
        del actuators
        names = self.split.dae.q_names
        measure = {name: measured(dae, name, "FastFeedback").value for name in (*names, *(f"der({n})" for n in names))}
        D = ca.sparsify(ca.DM(self.split.motion.deformation))
        xi = D @ ca.vertcat(*[measure[name] for name in names])
        rate = D @ ca.vertcat(*[measure[f"der({name})"] for name in names])
        commands = -ca.sparsify(ca.DM(self.K)) @ ca.vertcat(xi, rate)
        return Bound(dict(zip(self.split.dae.u.names, ca.vertsplit(commands), strict=True)))


class SlowFast(Composite):
    """Composite control u = u_s + u_f (Subudhi & Morris 2002, eq 68); `time_scales` tells whether it is valid.

    Parameters
    ----------
    slow : Law
        For the slow subsystem, such as ``ComputedTorque(kp, kv, model=split.slow)`` (eq 69).
    fast : FastFeedback
        For the fast one (eq 70).
    """

    def __init__(self, slow: Law, fast: FastFeedback) -> None:
        if not isinstance(fast, FastFeedback):
            raise ParameterError(f"SlowFast: fast = {fast!r}; must be a FastFeedback.")
        super().__init__(slow, fast)
