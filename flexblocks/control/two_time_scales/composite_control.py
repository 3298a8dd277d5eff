"""Composite control: a law for the slow subsystem plus one for the fast subsystem."""

from __future__ import annotations

import dataclasses

import casadi as ca

from flexblocks.control.law import Bindable, Bound, Law, Sum, as_law, summed
from flexblocks.control.measured import measured
from flexblocks.control.reference_inputs import grouped
from flexblocks.control.saturation import Actuators
from flexblocks.control.two_time_scales.fast_feedback import FastFeedback
from flexblocks.control.two_time_scales.fast_state import corrected_slow_state, fast_state, parameters
from flexblocks.dae.dae import DAE
from flexblocks.errors import ParameterError
from flexblocks.interfaces.physics import Output


class SlowFast(Sum):
    """Composite control u = u_s + u_f (Subudhi & Morris 2002, eq 68); `time_scales` checks that it is valid.

    Parameters
    ----------
    slow : Bindable
        For the slow subsystem, such as ``ComputedTorque(kp, kd, model=split.slow)`` (eq 69).
    fast : FastFeedback
        For the fast subsystem (eq 70).
    corrected : bool
        Whether the slow law is fed the slow coordinates corrected to first order for the deformation, instead of as
        measured.

    Notes
    -----
    A joint angle vibrates with its link: it contains a share S xi of the deformation, S = (N'M N)^-1 N'M P, and a law
    that feeds it back acts on the fast subsystem. theta + S (xi - xi_d) does not contain it (N'M R = 0 in
    `fast_subsystem`): it is the value that theta would have if the deformation were xi_d, that of ``fast.about``. The
    slow law is then bound to ``split.slow``, so that any law for a rigid arm will do. This is the first-order
    correction of the slow manifold (Kokotovic, Khalil & O'Reilly, *Singular Perturbation Methods in Control*, section
    2.3), applied to the measurements.
    """

    def __init__(self, slow: Bindable, fast: FastFeedback, *, corrected: bool = False) -> None:
        if not isinstance(fast, FastFeedback):
            raise ParameterError(f"SlowFast: fast = {fast!r}; must be a FastFeedback.")
        super().__init__(_CorrectedSlowLaw(slow, fast) if corrected else slow, fast)


@dataclasses.dataclass(frozen=True, eq=False)
class _CorrectedSlowLaw(Law):
    """A law of the slow subsystem, fed with the corrected slow state of the arm."""

    law: Bindable
    fast: FastFeedback

    def __post_init__(self) -> None:
        as_law(self.law, "SlowFast", "slow")

    def bind(self, dae: DAE, actuators: Actuators) -> Bound:
        return self._on_arm(as_law(self.law, "SlowFast").bind(self.fast.split.slow, actuators), dae)

    def bind_sampled(self, dae: DAE, actuators: Actuators, sample_time: float) -> Bound:
        return self._on_arm(
            as_law(self.law, "SlowFast").bind_sampled(self.fast.split.slow, actuators, sample_time), dae
        )

    def _on_arm(self, bound: Bound, dae: DAE) -> Bound:
        """Return a law bound to the slow subsystem, in the symbols of the arm."""
        split = self.fast.split
        slow, fast = split.slow, fast_state(split, dae, self.fast.about)
        others = [measured(dae, name, "SlowFast").value for name in slow.x.names[2 * slow.tree.size :]]
        x = ca.vertcat(corrected_slow_state(split, dae, fast), *others)
        before = ca.vertcat(slow.x.symbol, slow.p.symbol, slow.u.symbol)
        after = ca.vertcat(x, parameters(split, dae), ca.vertcat(*[_input(dae, name) for name in slow.u.names]))

        def in_arm_symbols(expression: ca.SX) -> ca.SX:
            return ca.substitute(ca.SX(expression), before, ca.densify(after))

        both = dataclasses.replace(
            bound,
            commands={name: in_arm_symbols(command) for name, command in bound.commands.items()},
            references=grouped("reference", [bound.references, fast.references]),
            rates=in_arm_symbols(bound.rates),
            outputs={name: Output(in_arm_symbols(o.value), o.unit) for name, o in bound.outputs.items()},
            updates=tuple(
                dataclasses.replace(update, change=in_arm_symbols(update.change)) for update in bound.updates
            ),
        )
        return summed([both])  # shares the references that both use


def _input(dae: DAE, name: str) -> ca.SX:
    return dae.u.symbol[dae.u.index(name)]
