"""References as integrals of their highest derivatives: for plans, in which a reference and its rate are one signal."""

from __future__ import annotations

import dataclasses
from functools import lru_cache

import casadi as ca

from flexblocks.dae.dae import DAE
from flexblocks.dae.reference_chains import reference_chains
from flexblocks.dae.require_differentiable import require_differentiable
from flexblocks.dynamics.tree.feedback import feedback_around
from flexblocks.interfaces.variables import variables


@lru_cache(maxsize=16)
def with_integrated_references(dae: DAE, given: frozenset[str] = frozenset()) -> DAE:
    """Return a DAE whose inputs are the highest derivatives of references that a loop uses.

    Parameters
    ----------
    dae : DAE
    given : frozenset of str
        References, or rates of these, that are inputs by themselves, as what is known or what a law commands. Their
        derivatives are inputs, too, and they take the place of the highest one.

    Returns
    -------
    DAE
        This one if no reference has a rate. Otherwise the lower derivatives are first-order states, at the end of x and
        under their own names, and those that nothing depends on are gone.
        At rest such a state keeps any value, and what it is the integral of is zero.

    Raises
    ------
    ParameterError
        A controller that acts at sample times only.
    """
    chains = reference_chains(dae)
    if not any(len(chain.names) > 1 for chain in chains):
        return dae
    require_differentiable(dae, "plan")
    u, symbols = dae.u, dict(zip(dae.u.names, ca.vertsplit(dae.u.symbol), strict=True))
    above = {lower: name for chain in chains for lower, name in zip(chain.names, chain.names[1:], strict=False)}
    integrals = [name for chain in chains for name in chain.integrals(given)]
    gone = {name for chain in chains for name in chain.names} - {*integrals}
    gone -= {name for chain in chains for name in chain.inputs(given)}
    # The lower derivatives keep their symbols, which are now those of states.
    entries = list(zip(dae.x.names, dae.x.units, dae.x.start.tolist(), strict=True))
    entries += [(name, u.unit(name), float(u.start[u.index(name)])) for name in integrals]
    known = dict(zip(dae.x.names, ca.vertsplit(dae.x.symbol), strict=True)) if len(dae.x) else {}
    x = variables("state", entries, symbols=known | {name: symbols[name] for name in integrals})
    inputs = u.take([i for i, name in enumerate(u.names) if name not in gone and name not in integrals])
    lower = tuple(name if name in inputs else None for name in inputs.derivative_of)
    inputs = dataclasses.replace(inputs, derivative_of=lower)
    acting = ca.vertcat(*[ca.SX(0) if name in gone else symbols[name] for name in u.names])
    rates = ca.vertcat(*[symbols[above[name]] for name in integrals], ca.SX(0, 1))
    z, p = dae.z.symbol, dae.p.symbol
    arguments, symbols_of_loop = (dae.x.symbol, z, acting, p), (x.symbol, z, inputs.symbol, p)
    feedback = feedback_around(dae.tree.feedback, arguments, symbols_of_loop, rates, ca.SX(0, 1), {})
    return dataclasses.replace(dae.interpreted, x=x, u=inputs, tree=dataclasses.replace(dae.tree, feedback=feedback))
