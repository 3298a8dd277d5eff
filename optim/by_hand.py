"""What a user changed in a planner's model."""

from __future__ import annotations

from typing import Any


def note_own(m: Any) -> None:
    """Note which components a planner's model has as it was made."""
    m.own_components = _names(m)


def changed_by_hand(m: Any) -> list[str]:
    """Return the names of the components that were added or deleted since, sorted."""
    return sorted(_names(m) ^ m.own_components)


def _names(m: Any) -> frozenset[str]:
    return frozenset(part.name for part in m.component_objects(descend_into=True))
