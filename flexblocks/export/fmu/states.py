"""Continuous and discrete states of a DAE: the latter change at the ticks of clocks alone."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from flexblocks.dae.dae import DAE


@dataclass(frozen=True)
class States:
    """Places in ``dae.x`` of the states that go on all the time, and of those that change at ticks alone.

    In the FMU they stand in this order.
    """

    continuous: tuple[int, ...]
    discrete: tuple[int, ...]

    @property
    def order(self) -> tuple[int, ...]:
        """Both, as they stand in the FMU."""
        return self.continuous + self.discrete


def states(dae: DAE) -> States:
    """Return the states of a DAE as its FMU has them: without clocks all are continuous."""
    if not dae.clocks:
        return States(tuple(range(len(dae.x))), ())
    rates = ca.sparsify(dae.rate_expression)
    changed = [ca.sparsify(change) for change in changes(dae)]
    discrete = tuple(
        i for i in range(len(dae.x)) if not rates.has_nz(i, 0) and any(change.has_nz(i, 0) for change in changed)
    )
    return States(tuple(i for i in range(len(dae.x)) if i not in discrete), discrete)


def changes(dae: DAE) -> list[ca.SX]:
    """Return what each clock adds to x (nx,) at its ticks."""
    point = [dae.x.symbol, dae.z.symbol, dae.u.symbol, dae.p.symbol]
    return [ca.SX(clock.change(*point)) for clock in dae.clocks]
