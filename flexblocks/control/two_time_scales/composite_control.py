"""Composite control: a law for the slow subsystem and one for the fast one."""

from __future__ import annotations

import dataclasses

import casadi as ca

from flexblocks.control.law import Bound, Composite, Law, added
from flexblocks.control.measured import measured
from flexblocks.control.reference_inputs import grouped
from flexblocks.control.saturation import Actuators
from flexblocks.control.two_time_scales.deformation import deformation, mean_motion, parameters
from flexblocks.control.two_time_scales.fast_feedback import FastFeedback
from flexblocks.dae.dae import DAE
from flexblocks.errors import ParameterError
from flexblocks.interfaces.physics import Output


class SlowFast(Composite):
    """Composite control u = u_s + u_f (Subudhi & Morris 2002, eq 68); `time_scales` tells whether it is valid.

    Parameters
    ----------
    slow : Law
        For the slow subsystem, such as ``ComputedTorque(kp, kv, model=split.slow)`` (eq 69).
    fast : FastFeedback
        For the fast one (eq 70).
    corrected : bool
        Whether the slow law gets the slow motion corrected to first order in the deformation, instead of the slow
        coordinates as they are measured.

    Notes
    -----
    A joint angle shakes with its link: it holds a share S xi of the deformation, S = (N'M N)^-1 N'M P, and a law that
    feeds it back reaches into the fast subsystem. theta + S (xi - xi_d) does not (N'M R = 0 in `fast_subsystem`): it is
    what theta would be if the deformation were xi_d, that of ``fast.about``. The slow law is then bound to
    ``split.slow`` and any law for a rigid arm will do. This is the correction of first order to the slow manifold
    (Kokotovic, Khalil & O'Reilly, *Singular Perturbation Methods in Control*, section 2.3) in the measurements.
    """

    def __init__(self, slow: Law, fast: FastFeedback, *, corrected: bool = False) -> None:
        if not isinstance(fast, FastFeedback):
            raise ParameterError(f"SlowFast: fast = {fast!r}; must be a FastFeedback.")
        super().__init__(_OfMeanMotion(slow, fast) if corrected else slow, fast)


@dataclasses.dataclass(frozen=True, eq=False)
class _OfMeanMotion(Law):
    """A law of the slow subsystem, with the mean motion of the arm for its states."""

    law: Law
    fast: FastFeedback

    def __post_init__(self) -> None:
        if not isinstance(self.law, Law):
            raise ParameterError(f"SlowFast: slow = {self.law!r}; must be a law of flexblocks.control.")

    def bind(self, dae: DAE, actuators: Actuators) -> Bound:
        return self._seen(self.law.bind(self.fast.split.slow, actuators), dae)

    def bind_sampled(self, dae: DAE, actuators: Actuators, sample_time: float) -> Bound:
        return self._seen(self.law.bind_sampled(self.fast.split.slow, actuators, sample_time), dae)

    def _seen(self, bound: Bound, dae: DAE) -> Bound:
        """Return a law bound to the slow subsystem in the symbols of the arm."""
        split = self.fast.split
        slow, found = split.slow, deformation(split, dae, self.fast.about)
        others = [measured(dae, name, "SlowFast").value for name in slow.x.names[2 * slow.tree.size :]]
        x = ca.vertcat(mean_motion(split, dae, found), *others)
        before = ca.vertcat(slow.x.symbol, slow.p.symbol, slow.u.symbol)
        after = ca.vertcat(x, parameters(split, dae), ca.vertcat(*[_input(dae, name) for name in slow.u.names]))

        def seen(expression: ca.SX) -> ca.SX:
            return ca.substitute(ca.SX(expression), before, ca.densify(after))

        both = dataclasses.replace(
            bound,
            commands={name: seen(command) for name, command in bound.commands.items()},
            references=grouped("reference", [bound.references, found.references]),
            rates=seen(bound.rates),
            outputs={name: Output(seen(o.value), o.unit) for name, o in bound.outputs.items()},
            ticks=tuple(dataclasses.replace(tick, change=seen(tick.change)) for tick in bound.ticks),
        )
        return added([both])  # references that both have become one


def _input(dae: DAE, name: str) -> ca.SX:
    return dae.u.symbol[dae.u.index(name)]
