"""A DAE with some of its inputs alone."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Mapping
from functools import lru_cache

import casadi as ca

from flexblocks.dae.dae import DAE
from flexblocks.dynamics.tree.clock import Clock
from flexblocks.dynamics.tree.feedback import Feedback, feedback_around
from flexblocks.interfaces.variables import Variables


def with_inputs(dae: DAE, names: Collection[str], roles: Mapping[str, str] | None = None) -> DAE:
    """Return the DAE with these inputs alone: the others keep their start values, zero as a rule, and vanish.

    Parameters
    ----------
    dae : DAE
    names : collection of str
        Inputs of it.
    roles : dict of str, optional
        Other roles of some of these, by name.

    Returns
    -------
    DAE
        The same states, algebraic variables, outputs and parameters, with the same symbols. `dae` itself if nothing
        changes; otherwise interpreted, and the same object each time, so that what is derived of it is derived once.
    """
    kept = tuple(i for i, name in enumerate(dae.u.names) if name in names)
    of_kept = tuple((roles or {}).get(dae.u.names[i], dae.u.roles[i]) for i in kept)
    return dae if of_kept == dae.u.roles else _reduced(dae, kept, of_kept)


@lru_cache(maxsize=16)
def _reduced(dae: DAE, kept: tuple[int, ...], roles: tuple[str, ...]) -> DAE:
    u = dae.u.take(kept)
    above = tuple(name if name in u else None for name in u.derivative_of)
    u = dataclasses.replace(u, roles=roles, derivative_of=above)
    if len(kept) == len(dae.u):
        return dataclasses.replace(dae.interpreted, u=u)
    whole = ca.SX(ca.DM(dae.u.start))
    for i in kept:
        whole[i] = dae.u.symbol[i]
    feedback, clocks = _through(dae, u, whole)
    tree = dataclasses.replace(dae.tree, feedback=feedback)
    return dataclasses.replace(dae.interpreted, u=u, tree=tree, clocks=clocks)


def _through(dae: DAE, u: Variables, whole: ca.SX) -> tuple[Feedback, tuple[Clock, ...]]:
    """Return the feedback from the inputs `u` to those of the blocks, and the clocks, with `whole` as all inputs."""
    inner = [dae.x.symbol, dae.z.symbol, whole, dae.p.symbol]
    symbols = [dae.x.symbol, dae.z.symbol, u.symbol, dae.p.symbol]

    none = ca.SX(0, 1)
    feedback = feedback_around(dae.tree.feedback, inner, symbols, none, none, {})

    def changed(function: ca.Function) -> ca.Function:
        increment = ca.densify(function(*inner))
        return ca.Function("change", symbols, [increment], ["x", "z", "u", "p"], ["change"])

    return feedback, tuple(
        dataclasses.replace(clock.through(changed), noises=tuple(each for each in clock.noises if each.name in u))
        for clock in dae.clocks
    )
