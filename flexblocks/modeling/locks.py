"""Locked coordinates, which the user holds at numbers as by brakes, and prescribed ones, which he moves."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np

from flexblocks.errors import NameUnknownError, ParameterError, suggestion
from flexblocks.interfaces import Coordinate
from flexblocks.modeling.flanges import SharedCoordinate
from flexblocks.modeling.spanning_tree import Topology
from flexblocks.plausibility import computable, needed
from flexblocks.user_warning import warn
from flexblocks.warning_kinds import LOCK_BEYOND_LIMITS


def checked_locks(plan: Topology, locked: Mapping[str, float] | None) -> dict[str, float]:
    """Return the values of locked coordinates by name, as floats.

    Raises
    ------
    NameUnknownError
        The arm has no such coordinate.
    ParameterError
        Not a dict of finite numbers, or a value out of the range of a coordinate.

    Warns
    -----
    FlexblocksWarning
        A value beyond the limits of its joint.
    """
    if locked is None:
        return {}
    if not isinstance(locked, Mapping):
        raise ParameterError(
            f'assemble: locked = {locked!r}; must be a dict of coordinates and values, such as {{"joint1.angle": 0.3}}.'
        )
    owners = {".".join(shared.owner): shared.owner for shared in plan.shared.values() if shared.owner}
    values = {}
    for name, value in locked.items():
        if name not in owners:
            raise NameUnknownError(f"assemble: locked: the arm has no coordinate '{name}'{suggestion(name, owners)}")
        if isinstance(value, bool) or not isinstance(value, (int, float, np.number)):
            raise ParameterError(f"assemble: locked: {name} = {value!r}; must be a finite number.")
        if not computable(value):
            raise ParameterError(f"assemble: locked: {name} = {value!r}; must be {needed(value, 'a finite number')}.")
        values[name] = float(value)
    for (block, own), shared in plan.shared.items():
        if shared.owner is None or ".".join(shared.owner) not in values:
            continue
        coordinate, value = _declared(plan, block, own), shared.factor * values[".".join(shared.owner)]
        if not coordinate.low <= value <= coordinate.high:
            raise ParameterError(
                f"assemble: locked: {block}.{own} = {value:g} {coordinate.unit}; must be within {coordinate.low:g} to "
                f"{coordinate.high:g} {coordinate.unit}."
            )
        own_range = plan.nodes[block].block.state_ranges().get(own)
        if own_range is not None and not own_range.low <= value <= own_range.high:
            warn(
                f"assemble: locked: {block}.{own} = {value:g} {coordinate.unit}; its limits are {own_range.low:g} to "
                f"{own_range.high:g} {coordinate.unit}.",
                LOCK_BEYOND_LIMITS,
            )
    return values


def checked_prescriptions(plan: Topology, prescribed: Iterable[str] | str) -> tuple[tuple[str, str], ...]:
    """Return the prescribed coordinates, as (block, coordinate).

    Raises
    ------
    NameUnknownError
        The arm has no such coordinate; a locked one is none.
    ParameterError
        A name that is repeated, or motions beside the names.
    """
    if isinstance(prescribed, Mapping):
        raise ParameterError(
            f"assemble: prescribed = {prescribed!r}; takes names. Give the motions to what moves the arm, as "
            "simulate(dae, t, u={...}), or prescribed={...} of a plan."
        )
    names = (prescribed,) if isinstance(prescribed, str) else tuple(prescribed)
    owners = {".".join(shared.owner): shared.owner for shared in plan.shared.values() if shared.owner}
    for name in names:
        if name not in owners:
            raise NameUnknownError(
                f"assemble: prescribed: the arm has no free coordinate '{name}'{suggestion(name, owners)}"
            )
        if names.count(name) > 1:
            raise ParameterError(f"assemble: prescribed: {name} twice; name it once.")
    return tuple(owners[name] for name in names)


def with_locks(plan: Topology, values: Mapping[str, float]) -> Topology:
    """Return the topology with these coordinates of the arm locked."""
    return replace(plan, shared={place: _locked(shared, values) for place, shared in plan.shared.items()})


def _locked(shared: SharedCoordinate, values: Mapping[str, float]) -> SharedCoordinate:
    if shared.owner is None or ".".join(shared.owner) not in values:
        return shared
    value = shared.factor * values[".".join(shared.owner)]
    return SharedCoordinate(None, shared.factor, value, lock=shared.owner)


def _declared(plan: Topology, block: str, name: str) -> Coordinate:
    return next(c for c in plan.nodes[block].block.coordinates() if c.name == name)
