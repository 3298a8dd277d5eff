"""Continuous and discrete states of a DAE: the latter change only at clock ticks."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from flexblocks.dae.dae import DAE


@dataclass(frozen=True)
class States:
    """Indices in ``dae.x`` of the continuous states, and of the discrete ones, which change only at clock ticks.

    The FMU has them in this order.
    """

    continuous: tuple[int, ...]
    discrete: tuple[int, ...]

    @property
    def order(self) -> tuple[int, ...]:
        """Indices in ``dae.x`` in the order of the FMU."""
        return self.continuous + self.discrete


def states(dae: DAE) -> States:
    """Return the partition into continuous and discrete states; without clocks all are continuous."""
    if not dae.clocks:
        return States(tuple(range(len(dae.x))), ())
    rates = ca.sparsify(dae.expressions.rate)
    changed = [ca.sparsify(change) for change in changes(dae)]
    discrete = tuple(
        i for i in range(len(dae.x)) if not rates.has_nz(i, 0) and any(change.has_nz(i, 0) for change in changed)
    )
    return States(tuple(i for i in range(len(dae.x)) if i not in discrete), discrete)


def changes(dae: DAE) -> list[ca.SX]:
    """Return the increment of x (nx,) at a tick of each clock."""
    point = [dae.x.symbol, dae.z.symbol, dae.u.symbol, dae.p.symbol]
    return [ca.SX(clock.change(*point)) for clock in dae.clocks]
