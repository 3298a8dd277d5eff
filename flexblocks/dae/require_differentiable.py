"""Refusals of closed loops whose laws call functions that CasADi cannot look into."""

from __future__ import annotations

from collections.abc import Sequence

import casadi as ca

from flexblocks.dae.dae import DAE
from flexblocks.dynamics.tree.clock import Clock, refuse_clocks
from flexblocks.dynamics.tree.foreign_functions import foreign_in, opaque_functions
from flexblocks.errors import ParameterError, listing


def calls_in(dae: DAE) -> tuple[ca.Function, ...]:
    """Return the functions from outside CasADi that laws in continuous time call."""
    feedback = dae.tree.feedback
    return () if feedback is None else opaque_functions((feedback.inputs, feedback.rates, feedback.outputs))


def underivable(dae: DAE) -> tuple[str, ...]:
    """Return the names of functions that laws in continuous time call, and that have no derivatives."""
    return tuple(function.name() for function in calls_in(dae) if not _has_derivatives(function))


def require_differentiable(dae: DAE, where: str) -> None:
    """Refuse sampled controllers, and laws without derivatives, where equations are differentiated.

    Raises
    ------
    ParameterError
    """
    refuse_clocks(dae.clocks, where)
    if names := underivable(dae):
        raise ParameterError(
            f"{where}: a law of this closed loop calls {listing(names)}, of which CasADi knows no derivatives; must "
            "know them. Make the function with CasADi's option enable_fd=True, for finite differences, or write the "
            "law in CasADi's operations."
        )


def require_expressions(dae: DAE, where: str, sampled: bool = True) -> None:
    """Refuse laws that are more than CasADi's operations, where equations are written out; `sampled` ones, too.

    Raises
    ------
    ParameterError
    """
    changes = [clock.change for clock in dae.clocks] if sampled else []
    _refuse((*calls_in(dae), *opaque_functions(changes)), where)


def foreign_sources(clocks: Sequence[Clock], where: str) -> dict[str, str]:
    """Return the C code of the functions that sampled laws call, by their names.

    Raises
    ------
    ParameterError
        A law calls what has no code of its own.
    """
    changes = [clock.change for clock in clocks]
    known = {foreign.name: foreign.source for foreign in foreign_in(changes)}
    _refuse([each for each in opaque_functions(changes) if not known.get(each.name())], where)
    return known


def _refuse(called: Sequence[ca.Function], where: str) -> None:
    if called:
        raise ParameterError(
            f"{where}: a law of this closed loop calls {listing(each.name() for each in called)}, code from outside "
            "CasADi; must be written in CasADi's operations. Export the arm and its controller apart."
        )


def _has_derivatives(function: ca.Function) -> bool:
    try:
        function.jacobian()
    except RuntimeError:
        return False
    return True
