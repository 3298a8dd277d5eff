"""State feedback of the fast subsystem: by LQR, by pole placement, or as a damper."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import casadi as ca
import numpy as np

from flexblocks.control.design.quadratic_cost import input_weight, state_weight
from flexblocks.control.design.riccati import regulator_gain
from flexblocks.control.law import Bound, Law
from flexblocks.control.measured import measured
from flexblocks.control.saturation import Actuators
from flexblocks.control.two_time_scales.fast_state import checked_about, fast_state
from flexblocks.control.two_time_scales.gain_schedule import GainSchedule, gain_schedule
from flexblocks.control.two_time_scales.subsystems import SingularPerturbation
from flexblocks.dae.dae import DAE
from flexblocks.errors import ComputationError, NameUnknownError, ParameterError, listing, suggestion
from flexblocks.libraries import scipy


@dataclass(frozen=True, eq=False)
class FastFeedback(Law):
    """State feedback of the fast subsystem u_f = -K x_f: deformations of the stiff blocks and their rates.

    x_f = [xi, der(xi)]. Design it by `lqr`, `poles` or `damper`, or give K.

    Parameters
    ----------
    split : SingularPerturbation
    K : array (nu, 2 n_f) or GainSchedule
        Rows in the order of the arm's inputs, columns in that of ``split.fast().states``. Gains may be scheduled over
        slow coordinates, which are measured.
    about : {"rest", "manifold", "reference"}
        Where x_f is 0: without deformation; on the slow manifold, where stiff blocks are deformed quasi-statically as
        the slow coordinates follow their references (`SingularPerturbation.quasi_static`); or at references of their
        own, such as those of a plan.
    """

    split: SingularPerturbation
    K: np.ndarray | GainSchedule
    about: Literal["rest", "manifold", "reference"] = "rest"

    def __post_init__(self) -> None:
        # Gains must fit the inputs and the fast state; a schedule also needs its variables among the slow coordinates.
        shape = len(self.split.dae.u), 2 * len(self.split.deformations)
        checked_about(self.about, "FastFeedback")
        if isinstance(self.K, GainSchedule):
            for name in self.K.over:
                if name not in self.split.slow.q_names:
                    known = self.split.slow.q_names
                    raise NameUnknownError(
                        f"FastFeedback: the gains are scheduled over '{name}', which is no slow coordinate"
                        f"{suggestion(name, known, 'must be one of')}"
                    )
            if self.K.shape != shape:
                raise ParameterError(f"FastFeedback: scheduled gains of shape {self.K.shape}; must be {shape}.")
            return
        K = np.asarray(self.K, dtype=float)
        if K.shape != shape or not np.all(np.isfinite(K)):
            raise ParameterError(
                f"FastFeedback: K = {self.K!r}; must be a finite array {shape}, a row for each of "
                f"{listing(self.split.dae.u.names)}, a column for each of {listing(self.split.deformations)} and rates."
            )
        object.__setattr__(self, "K", K)

    def gain(self, at: Mapping[str, float] | None = None) -> np.ndarray:
        """Return K (nu, 2 n_f) at a posture: slow coordinates by name, the rest at their start values."""
        if not isinstance(self.K, GainSchedule):
            return self.K
        theta, _ = self.split.posture(at)
        return self.K.at(dict(zip(self.split.slow.q_names, theta.tolist(), strict=True)))

    @classmethod
    def lqr(
        cls,
        split: SingularPerturbation,
        Q: Any,
        R: Any = 1.0,
        at: Mapping[str, float] | None = None,
        *,
        over: Mapping[str, tuple[float, float]] | None = None,
        decay: float = 0.0,
        about: Literal["rest", "manifold", "reference"] = "rest",
    ) -> FastFeedback:
        """Return the regulator that minimises the integral of exp(2 decay t) (x_f'Q x_f + u'R u).

        Parameters
        ----------
        split : SingularPerturbation
        Q, R
            As for `LQR`, of the states of ``split.fast()``.
        at : dict, optional
            The posture of the design: slow coordinates by name, the rest at their start values.
        over : dict of (float, float), optional
            Ranges of slow coordinates over which the gains are scheduled (see `gain_schedule`), the rest as in `at`.
        decay : float
            Prescribed degree of stability [1/s], >= 0: the fast subsystem decays at least as fast as exp(-decay t)
            (Anderson & Moore, *Optimal Control*, section 3.5).
        about
            As for `FastFeedback`.

        Raises
        ------
        FlexblocksError
            An unknown name; a deformation that the inputs do not reach, or that is not weighted.
        """
        where = "FastFeedback.lqr"
        if not isinstance(decay, (int, float)) or not np.isfinite(decay) or decay < 0:
            raise ParameterError(f"{where}: decay = {decay!r}; must be a finite number >= 0 [1/s].")

        def design(posture: Mapping[str, float]) -> np.ndarray:
            fast = split.fast({**(at or {}), **posture})
            weight, cost = state_weight(fast, Q, where), input_weight(R, fast.inputs, where)
            return regulator_gain(fast.A + decay * np.eye(len(fast.A)), fast.B, weight, cost, fast.states)

        return cls(split, design({}) if over is None else gain_schedule(design, over), about)

    @classmethod
    def poles(
        cls, split: SingularPerturbation, poles: Sequence[complex], at: Mapping[str, float] | None = None
    ) -> FastFeedback:
        """Return the feedback that places the poles [1/s] of the fast subsystem at a posture.

        Raises
        ------
        ParameterError
            Not 2 n_f poles, or complex ones without their conjugates.
        ComputationError
            They could not be placed.
        """
        fast, targets = split.fast(at), np.asarray(poles, dtype=complex)
        k = len(fast.states)
        if targets.shape != (k,) or not np.allclose(np.sort_complex(targets), np.sort_complex(targets.conj())):
            raise ParameterError(f"FastFeedback.poles: poles = {poles!r}; must be {k} numbers in conjugate pairs.")
        # Rates of stiff modes are large: divided by the fastest frequency, they make the rows of A of one size.
        T = np.repeat([1.0, float(np.max(np.abs(np.linalg.eigvals(fast.A))))], k // 2)
        A, B = fast.A / T[:, None] * T, fast.B / T[:, None]
        try:
            placement: Any = scipy.signal.place_poles(A, B, targets)
        except ValueError as error:
            raise ComputationError(f"FastFeedback.poles: {error}") from None
        # Poles of a hardly controllable mode are lost to rounding without any error; 0.1 % by trial.
        placed = np.asarray(placement.gain_matrix)
        reached = np.sort_complex(np.linalg.eigvals(A - B @ placed))
        if not np.allclose(reached, np.sort_complex(targets), rtol=1e-3, atol=1e-6 * np.max(np.abs(targets))):
            raise ComputationError(
                "FastFeedback.poles: the poles could not be placed to 0.1 %; choose poles nearer to those of A_f."
            )
        return cls(split, placed / T)

    @classmethod
    def damper(cls, split: SingularPerturbation, damping: float) -> FastFeedback:
        """Return the damper u_f = -c B'P der(xi), as if parallel to each driven spring, c in [N m s/rad].

        Raises
        ------
        ParameterError
            `damping` is not a finite number > 0; or the inputs act on no deformation, as where rotors are fixed to
            joints.
        """
        if not isinstance(damping, (int, float)) or not np.isfinite(damping) or damping <= 0:
            raise ParameterError(f"FastFeedback.damper: damping = {damping!r}; must be a finite number > 0.")
        dae, motion = split.dae, split.motion
        groups = [dae.x.symbol, dae.z.symbol, dae.u.symbol, dae.p.symbol]
        B = ca.Function("B", groups, [ca.jacobian(dae.expressions.applied, dae.u.symbol)])
        shares = motion.P.T @ B(dae.x.start, dae.z.start, dae.u.start, dae.p.start).full()
        if not shares.any():
            raise ParameterError(
                f"FastFeedback.damper: {listing(dae.u.names)} act on none of {listing(split.deformations)}; use "
                "FastFeedback.lqr, or describe the rigid motion by other coordinates (slow=[...])."
            )
        return cls(split, damping * np.hstack([np.zeros_like(shares.T), shares.T]))

    def bind(self, dae: DAE, actuators: Actuators) -> Bound:
        del actuators
        fast = fast_state(self.split, dae, self.about)
        if isinstance(self.K, GainSchedule):
            K = self.K.expression({name: measured(dae, name, "FastFeedback").value for name in self.K.over})
        else:
            K = ca.sparsify(ca.DM(self.K))
        commands = -K @ ca.vertcat(fast.xi, fast.rate)
        return Bound(dict(zip(self.split.dae.u.names, ca.vertsplit(commands), strict=True)), fast.references)
