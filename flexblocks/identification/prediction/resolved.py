"""The unknowns of an identification from motions as a user names them: parameters, offsets and start states."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.errors import NameUnknownError, ParameterError, listing, suggestion
from flexblocks.identification.unknowns.sought import Sought, Unknowns, parameter, sought
from flexblocks.identification.unknowns.unknown import Unknown
from flexblocks.simulation.record import Record

WHERE = "identify"


def resolved(
    dae: DAE, parameters: Iterable[str | Unknown] | str | Unknown, measured: Sequence[str], records: Sequence[Record]
) -> Unknowns:
    """Return the unknowns that a user named.

    Raises
    ------
    NameUnknownError, ParameterError
        A name that is no symbolic parameter, measured variable, input or state; one that comes twice; a guess out of
        its bounds.
    """
    given = [parameters] if isinstance(parameters, (str, Unknown)) else list(parameters)
    if not given:
        raise ParameterError("identify: parameters is empty; must name what is to be found.")
    asked = [each if isinstance(each, Unknown) else Unknown(each) for each in given]
    names = [each.name for each in asked]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise ParameterError(f"identify: parameters: {listing(twice)} is named twice; must be named once.")
    kinds: dict[str, list[Sought]] = {"parameter": [], "offset": [], "start": []}
    for each in asked:
        kind, _, rest = each.name.partition("(")
        if kind == "offset" and rest.endswith(")"):
            kinds["offset"].append(_offset(dae, each, rest[:-1], measured, records))
        elif kind == "start" and rest.endswith(")"):
            kinds["start"] += _starts(dae, each, rest[:-1], records)
        else:
            kinds["parameter"].append(parameter(dae, each, WHERE))
    kinds["start"].sort(key=lambda each: each.record or 0)
    return Unknowns(tuple(each for group in kinds.values() for each in group))


def _offset(dae: DAE, unknown: Unknown, name: str, measured: Sequence[str], records: Sequence[Record]) -> Sought:
    if name in measured:
        series = np.concatenate([record[name] for record in records if name in record])
        kind, position, unit = "output offset", measured.index(name), _unit(dae, name)
    elif name in dae.u:
        series = np.concatenate([record[name] for record in records if name in record] or [np.zeros(1)])
        kind, position, unit = "input offset", dae.u.index(name), dae.u.unit(name)
    else:
        told = suggestion(name, (*measured, *dae.u.names))
        raise NameUnknownError(f"identify: parameters: '{unknown.name}': '{name}' is neither measured nor input{told}")
    return sought(unknown, unit, kind, position, None, 0.0, float(np.nanmax(series) - np.nanmin(series)), WHERE)


def _starts(dae: DAE, unknown: Unknown, name: str, records: Sequence[Record]) -> list[Sought]:
    if name not in dae.x:
        told = suggestion(name, dae.x.names)
        raise NameUnknownError(f"identify: parameters: '{unknown.name}': '{name}' is no state of '{dae.name}'{told}")
    i, found = dae.x.index(name), []
    for number, record in enumerate(records):
        value = float(record.x0.get(name, dae.x.start[i]))
        magnitude = float(np.ptp(record[name][np.isfinite(record[name])])) if name in record else 1.0
        label = unknown.name if len(records) == 1 else f"{unknown.name}[{number + 1}]"
        own = Unknown(label, unknown.guess, unknown.low, unknown.high, unknown.mean, unknown.deviation)
        found.append(sought(own, dae.x.units[i], "start", i, number, value, magnitude, WHERE))
    return found


def _unit(dae: DAE, name: str) -> str:
    group = next((group for group in (dae.x, dae.z, dae.y) if name in group), None)
    return "" if group is None else group.unit(name)
