"""Chains of references: a reference, its rate, the rate of that, as far as a loop uses them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import casadi as ca

from flexblocks.dae.dae import DAE
from flexblocks.dynamics.algorithms.generalized_forces import state_rates


@dataclass(frozen=True)
class ReferenceChain:
    """Inputs each of which is the time derivative of the one before.

    Attributes
    ----------
    names : tuple of str
        The reference first.
    used : tuple of bool
        Whether motion or outputs depend on each.
    """

    names: tuple[str, ...]
    used: tuple[bool, ...]

    @property
    def lowest(self) -> int:
        """Position of the lowest derivative that is used."""
        return self.used.index(True)

    @property
    def highest(self) -> int:
        """Position of the highest derivative that is used."""
        return len(self.used) - 1 - self.used[::-1].index(True)

    def integrals(self, given: frozenset[str] = frozenset()) -> tuple[str, ...]:
        """Return what is integrated: all from the lowest that is used to below what is given, or else the highest."""
        return self.names[self.lowest : self._first(given)]

    def inputs(self, given: frozenset[str] = frozenset()) -> tuple[str, ...]:
        """Return what is reported by itself: the highest that is used, or what is given and all of its derivatives."""
        first = self._first(given)
        return self.names[first:] if self.names[first] in given else (self.names[first],)

    def _first(self, given: frozenset[str]) -> int:
        return next((i for i, name in enumerate(self.names) if name in given), self.highest)


@lru_cache(maxsize=16)
def reference_chains(dae: DAE) -> tuple[ReferenceChain, ...]:
    """Return the references that have rates among the inputs; not those of which nothing depends on any."""
    above = {lower: name for name, lower in zip(dae.u.names, dae.u.derivative_of, strict=True) if lower is not None}
    unused, chains = unused_inputs(dae) if above else frozenset(), []
    for name in (name for name in above if name not in above.values()):
        names = [name]
        while names[-1] in above:
            names.append(above[names[-1]])
        chains.append(ReferenceChain(tuple(names), tuple(each not in unused for each in names)))
    return tuple(chain for chain in chains if any(chain.used))


@lru_cache(maxsize=16)
def unused_inputs(dae: DAE) -> frozenset[str]:
    """Return the inputs on which neither motion nor outputs depend, as the rate of a reference without damping."""
    x, z, u = dae.x.symbol, dae.z.symbol, dae.u.symbol
    told = [dae.expressions.applied, state_rates(dae.tree, x, z, u), dae.expressions.algebraic, dae.expressions.output]
    told += [clock.change(x, z, u, dae.p.symbol) for clock in dae.clocks]
    is_told = ca.which_depends(ca.vertcat(*map(ca.densify, told)), u)
    return frozenset(name for name, acts in zip(dae.u.names, is_told, strict=True) if not acts)
