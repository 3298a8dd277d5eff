"""Coordinates that mean the same in two models of one arm."""

from __future__ import annotations

from flexblocks.dae.dae import DAE
from flexblocks.modeling.rediscretize import discretizations


def shared_coordinates(old: DAE, new: DAE) -> frozenset[str]:
    """Return the names of the coordinates with the same meaning in two assemblies of one graph.

    Coordinates of a beam have if its discretisation is of the same kind; an assumed mode has, however many there are.
    """
    if old.model is None or new.model is None:
        return frozenset(set(old.q_names) & set(new.q_names))
    before, after = discretizations(old.model), discretizations(new.model)
    other = tuple(f"{name}." for name in before if not (name in after and before[name].has_coordinates_of(after[name])))
    return frozenset(name for name in old.q_names if name in new.q_names and not name.startswith(other))


def shared_states(old: DAE, new: DAE) -> frozenset[str]:
    """Return the names of the states with the same meaning in two assemblies of one graph."""
    same, n = shared_coordinates(old, new), old.tree.size
    mechanical = {x for names in (old.x.names[:n], old.x.names[n : 2 * n]) for x in _chosen(names, old.q_names, same)}
    return frozenset(mechanical | (set(old.x.names[2 * n :]) & set(new.x.names)))


def _chosen(names: tuple[str, ...], by: tuple[str, ...], chosen: frozenset[str]) -> list[str]:
    return [name for name, q in zip(names, by, strict=True) if q in chosen]
