"""Parameters that are sought in spectra: the arm in which they are symbols, and the unknowns."""

from __future__ import annotations

from collections.abc import Iterable

from flexblocks.argument_types import short
from flexblocks.assemble import assemble
from flexblocks.dae.dae import DAE
from flexblocks.errors import NameUnknownError, ParameterError, listing, suggestion
from flexblocks.identification.unknowns.sought import Unknowns, parameter
from flexblocks.identification.unknowns.unknown import Unknown


def with_symbols(dae: DAE, parameters: Iterable[str | Unknown] | str | Unknown, where: str) -> tuple[DAE, Unknowns]:
    """Return the arm in which the parameters are symbols, assembled anew if it has to be, and the unknowns.

    Raises
    ------
    ParameterError, NameUnknownError
        None is named, one is named twice or is no parameter that can stay symbolic; a guess out of its bounds.
    """
    given = [parameters] if isinstance(parameters, (str, Unknown)) else list(parameters)
    if not given or not all(isinstance(each, (str, Unknown)) for each in given):
        raise ParameterError(f"{where}: parameters = {short(parameters)}; must name what is to be found.")
    asked = [each if isinstance(each, Unknown) else Unknown(each) for each in given]
    names = [each.name for each in asked]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise ParameterError(f"{where}: parameters: {listing(twice)} is named twice; must be named once.")
    more = [name for name in names if name not in dae.p]
    if more and dae.model is None:
        told = suggestion(more[0], dae.p.names, "symbolic are")
        raise NameUnknownError(f"{where}: parameters: '{more[0]}' is no symbolic parameter of '{dae.name}'{told}")
    if more and dae.model is not None:
        dae = assemble(dae.model, (*dae.p.names, *more), locked=dae.locked, prescribed=dae.prescribed)
    return dae, Unknowns(tuple(parameter(dae, each, where) for each in asked))
