"""Names of what closed loops add to an arm."""

from __future__ import annotations


def prefixed(prefix: str, name: str) -> str:
    """Return ``prefix.name``, and for the rate ``der(name)`` the rate ``der(prefix.name)``."""
    if name.startswith("der("):
        return f"der({prefix}.{name[4:]}"
    return f"{prefix}.{name}"


def reference_name(name: str, order: int = 0) -> str:
    """Return the name of the reference of a variable, or of its first or second derivative in time.

    As FMI writes derivatives: ``reference.joint1.angle``, ``der(reference.joint1.angle)``,
    ``der(reference.joint1.angle,2)``.
    """
    if name.startswith("der("):
        name, order = name[4:-1], order + 1
    reference = f"reference.{name}"
    return reference if order == 0 else f"der({reference})" if order == 1 else f"der({reference},{order})"


def derivative_unit(unit: str, order: int) -> str:
    """Return the unit of a derivative in time."""
    return unit if order == 0 else f"{unit}/s" if order == 1 else f"{unit}/s{order}"
