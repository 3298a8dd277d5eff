"""A DAE with some of its inputs alone."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection
from functools import lru_cache

import casadi as ca

from flexblocks.dae.dae import DAE
from flexblocks.dynamics.tree.clock import Clock
from flexblocks.dynamics.tree.feedback import Feedback


def with_inputs(dae: DAE, names: Collection[str]) -> DAE:
    """Return the DAE with these inputs alone: the others keep their start values, zero as a rule, and vanish.

    Parameters
    ----------
    dae : DAE
    names : collection of str
        Inputs of it. If these are all, the result is `dae` itself.

    Returns
    -------
    DAE
        The same states, algebraic variables, outputs and parameters, with the same symbols; interpreted. The same
        object each time, so that what is derived of it is derived once.
    """
    kept = tuple(i for i, name in enumerate(dae.u.names) if name in names)
    return dae if len(kept) == len(dae.u) else _reduced(dae, kept)


@lru_cache(maxsize=16)
def _reduced(dae: DAE, kept: tuple[int, ...]) -> DAE:
    u, tree = dae.u.take(kept), dae.tree
    u = dataclasses.replace(u, derivative_of=tuple(name if name in u else None for name in u.derivative_of))
    whole = ca.SX(ca.DM(dae.u.start))
    for i in kept:
        whole[i] = dae.u.symbol[i]
    inner = [dae.x.symbol, dae.z.symbol, whole, dae.p.symbol]
    symbols = [dae.x.symbol, dae.z.symbol, u.symbol, dae.p.symbol]

    def function(name: str, result: ca.SX) -> ca.Function:
        return ca.Function(name, symbols, [ca.densify(result)], ["x", "z", "u", "p"], [name])

    none = ca.SX(0, 1)
    laws = tree.feedback
    feedback = Feedback(
        function("inputs", whole if laws is None else laws.inputs(*inner)),
        function("rates", none if laws is None else laws.rates(*inner)),
        function("shown", none if laws is None else laws.outputs(*inner)),
        {} if laws is None else laws.units,
    )
    clocks = tuple(Clock(c.period, c.offset, function("change", c.change(*inner))) for c in dae.clocks)
    return dataclasses.replace(dae.interpreted, u=u, tree=dataclasses.replace(tree, feedback=feedback), clocks=clocks)
