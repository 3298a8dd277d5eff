"""modelDescription.xml: the part that FMI 2.0 and 3.0 have in common."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

import numpy as np

from flexblocks.export.fmu.units import base_exponents, modelica_unit
from flexblocks.export.fmu.variables import FmuVariable, Table

LOG_CATEGORIES = {
    "logStatusError": "why a call failed",
    "logStatusDiscard": "why values could not be computed; the importer may try a smaller step",
}


@dataclass(frozen=True)
class Description:
    """Model description of an FMU.

    Attributes
    ----------
    name : str
        Of the model.
    identifier : str
        Name of the library and of the C code.
    token : str
        By which XML and library know that they belong together.
    kinds : tuple of str
        ``"ModelExchange"``, ``"CoSimulation"``.
    tool : str
        flexblocks with its version.
    tolerance : float
        Relative, of the default experiment.
    sources : tuple of str
        C files.
    table : Table
    rates, outputs, algebraics : ndarray of bool
        Dependencies on [x, u, p], see `flexblocks.export.fmu.dependencies`.
    """

    name: str
    identifier: str
    token: str
    kinds: tuple[str, ...]
    tool: str
    tolerance: float
    sources: tuple[str, ...]
    table: Table
    rates: np.ndarray
    outputs: np.ndarray
    algebraics: np.ndarray

    def depends(self, reference: int, initially: bool = False) -> list[int]:
        """Return the value references of the continuous states and inputs behind a variable.

        Initially, parameters and discrete states count too.
        """
        table = self.table
        if reference >= table.y:
            row = self.outputs[reference - table.y]
        elif reference >= table.dx:
            row = self.rates[reference - table.dx]
        elif reference >= table.z:
            row = self.algebraics[reference - table.z]
        else:
            return [reference]  # a state is itself
        # The knowns [x, u, p] stand in the order of their value references.
        knowns = [table.x + int(i) for i in np.flatnonzero(row)]
        return knowns if initially else [known for known in knowns if known < table.d or table.u <= known < table.p]

    def initial_unknowns(self) -> list[int]:
        """Return the value references of outputs and rates that are calculated."""
        table = self.table
        wanted = {*table.outputs, *table.rates}
        return [v.reference for v in table.variables if v.reference in wanted and v.initial in ("approx", "calculated")]


def text(root: Element) -> str:
    """Return an XML document."""
    ElementTree.indent(root, "  ")
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"


def attributes(**values: object) -> dict[str, str]:
    """Return XML attributes, without those that are None or empty."""
    written = {True: "true", False: "false"}
    return {
        name: written[value] if isinstance(value, bool) else repr(value) if isinstance(value, float) else str(value)
        for name, value in values.items()
        if value is not None and value != ""
    }


def root_element(description: Description, version: str, **more: object) -> Element:
    """Return the root of modelDescription.xml; `more` are attributes that a version has alone."""
    return Element(
        "fmiModelDescription",
        attributes(
            fmiVersion=version,
            modelName=description.name,
            generationTool=description.tool,
            variableNamingConvention="structured",
            **more,
        ),
    )


def add_definitions(root: Element, description: Description) -> None:
    """Add units, categories of messages and the default experiment."""
    _add_units(root, [variable.unit for variable in description.table.variables])
    categories = SubElement(root, "LogCategories")
    for name, meaning in LOG_CATEGORIES.items():
        SubElement(categories, "Category", name=name, description=meaning)
    # From 0 s, with the tolerance that the built-in integration has.
    SubElement(root, "DefaultExperiment", attributes(startTime=0.0, tolerance=description.tolerance))


def _add_units(root: Element, units: Iterable[str]) -> None:
    """Add UnitDefinitions; a unit that is not known has a name alone."""
    parent = SubElement(root, "UnitDefinitions")
    for unit in dict.fromkeys(units):
        element = SubElement(parent, "Unit", name=modelica_unit(unit))
        exponents = base_exponents(unit)
        if exponents is not None:
            SubElement(element, "BaseUnit", attributes(**exponents))


def variable_attributes(variable: FmuVariable) -> dict[str, str]:
    """Return what a variable is."""
    return attributes(
        name=variable.name,
        valueReference=variable.reference,
        description=variable.description,
        causality=variable.causality,
        variability=variable.variability,
        initial=variable.initial,
    )


def real_attributes(variable: FmuVariable, derivative: int | None) -> dict[str, str]:
    """Return what its values are; it is the `derivative` of the variable of that index."""
    limited = variable.limit < float("inf")
    return attributes(
        unit=modelica_unit(variable.unit),
        min=-variable.limit if limited else None,
        max=variable.limit if limited else None,
        start=variable.start,
        derivative=derivative,
    )


def dependencies_text(known: Iterable[int]) -> str:
    """Return an attribute ``dependencies``: empty for depends on nothing, where none would be on everything."""
    return " ".join(map(str, known))
