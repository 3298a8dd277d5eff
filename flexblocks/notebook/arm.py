"""Content of an arm: its block diagram with parameters, its check, the variables of its equations."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.interfaces.parameters import argument_name
from flexblocks.interfaces.variables import Variables
from flexblocks.modeling.model import Model
from flexblocks.modeling.model_check import ModelCheck
from flexblocks.notebook.content import Content, Svg, table, written
from flexblocks.notebook.diagram import diagram

LONGEST = 60  # characters of a parameter's value: a table of values along a beam is cut


def model(shown: Model) -> Content:
    """Return the block diagram of a model, and its blocks with their parameters."""
    parameters = {name: block_parameters(block) for name, block in shown.blocks.items()}
    rows = [(name, type(block).__name__, ", ".join(parameters[name])) for name, block in shown.blocks.items()]
    pictured = (Svg(diagram(shown, parameters)),) if rows else ()
    return Content(repr(shown), (*pictured, *table("", ("block", "type", "parameters"), rows)))


def check(shown: ModelCheck) -> Content:
    """Return the report of a model's check."""
    remarks = table("Possible mistakes", ("remark",), [(each,) for each in shown.remarks])
    inputs = table("", shown.INPUT_HEADS, shown.inputs)
    return Content(shown.title, (*table("", shown.HEADS, shown.rows), *inputs, *remarks))


def dae(shown: DAE) -> Content:
    """Return the variables of a DAE: names, units, start values, roles of inputs and limits."""
    groups = {"States": shown.x, "Algebraic variables": shown.z, "Inputs": shown.u, "Parameters": shown.p}
    tables = [part for title, group in groups.items() for part in _variables(title, group)]
    return Content(
        repr(shown), (*tables, *table("Outputs", ("name", "unit"), zip(shown.y.names, shown.y.units, strict=True)))
    )


def block_parameters(block: Any) -> list[str]:
    """Return the parameters of a block that differ from their defaults, as ``length = 0.5 m``."""
    lines = []
    for field in dataclasses.fields(block):
        value = getattr(block, field.name)
        default = field.default_factory() if callable(field.default_factory) else field.default
        if not field.init or field.name == "name" or (default is not dataclasses.MISSING and _same(value, default)):
            continue
        unit = getattr(field.metadata.get("quantity"), "unit", "1")
        text = written(value)
        text = text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
        lines.append(f"{argument_name(field)} = {text}{'' if unit in ('1', '') else f' {unit}'}")
    return lines


def _same(value: Any, default: Any) -> bool:
    try:
        return bool(np.all(value == default))
    except (TypeError, ValueError, RuntimeError):  # symbols and arrays of another shape: not the default
        return False


def _variables(title: str, group: Variables) -> tuple[Any, ...]:
    columns: list[tuple[str, Any]] = [("name", group.names), ("unit", group.units), ("start", group.start)]
    if group.roles:
        columns.append(("role", [role.replace("_", " ") for role in group.roles]))
    if len(group.limits) == len(group) and np.any(np.isfinite(group.limits)):
        columns.append(("limit", [limit if np.isfinite(limit) else None for limit in group.limits]))
    return table(title, [head for head, _ in columns], list(zip(*(values for _, values in columns), strict=True)))
