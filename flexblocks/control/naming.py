"""Names of the variables that a law adds to an arm, and units of derivatives."""

from __future__ import annotations


def prefixed(prefix: str, name: str) -> str:
    """Return ``prefix.name``, or ``der(prefix.name)`` if `name` is the rate ``der(...)``."""
    if name.startswith("der("):
        return f"der({prefix}.{name[4:]}"
    return f"{prefix}.{name}"


def reference_name(name: str, order: int = 0) -> str:
    """Return the name of a variable's reference, or of that reference's time derivative.

    Derivatives are written as in FMI: ``reference.joint1.angle``, ``der(reference.joint1.angle)``,
    ``der(reference.joint1.angle,2)``.
    """
    if name.startswith("der("):
        name, order = name[4:-1], order + 1
    reference = f"reference.{name}"
    return reference if order == 0 else f"der({reference})" if order == 1 else f"der({reference},{order})"


def reference_below(name: str, order: int = 0) -> str | None:
    """Return the name of the reference whose time derivative `reference_name` names; None of a reference itself."""
    if order:
        return reference_name(name, order - 1)
    return reference_name(name[4:-1]) if name.startswith("der(") else None


def derivative_unit(unit: str, order: int) -> str:
    """Return the unit of a time derivative."""
    return unit if order == 0 else f"{unit}/s" if order == 1 else f"{unit}/s{order}"
