"""What modelDescription.xml says in both versions of FMI."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

import numpy as np

from flexblocks.export.fmu.units import base_exponents, modelica_unit
from flexblocks.export.fmu.variables import Table

LOG_CATEGORIES = {
    "logStatusError": "why a call failed",
    "logStatusDiscard": "why values could not be computed; the importer may try a smaller step",
}


@dataclass(frozen=True)
class Description:
    """What an FMU says of itself.

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
        found = [table.x + int(i) for i in np.flatnonzero(row)]
        return found if initially else [known for known in found if known < table.d or table.u <= known < table.p]

    def initial_unknowns(self) -> list[int]:
        """Return the value references of outputs and rates that are calculated."""
        table = self.table
        wanted = {*table.outputs, *table.rates}
        return [v.reference for v in table.variables if v.reference in wanted and v.initial in ("approx", "calculated")]


def text(root: Element) -> str:
    """Return an XML document."""
    ElementTree.indent(root, "  ")
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"


def attributes(**given: object) -> dict[str, str]:
    """Return XML attributes, without those that are None or empty."""
    written = {True: "true", False: "false"}
    return {
        name: written[value] if isinstance(value, bool) else repr(value) if isinstance(value, float) else str(value)
        for name, value in given.items()
        if value is not None and value != ""
    }


def add_units(root: Element, units: Iterable[str]) -> None:
    """Add UnitDefinitions; a unit that is not known has a name alone."""
    parent = SubElement(root, "UnitDefinitions")
    for unit in dict.fromkeys(units):
        element = SubElement(parent, "Unit", name=modelica_unit(unit))
        exponents = base_exponents(unit)
        if exponents is not None:
            SubElement(element, "BaseUnit", attributes(**exponents))


def add_log_categories(root: Element) -> None:
    """Add the categories of messages."""
    parent = SubElement(root, "LogCategories")
    for name, description in LOG_CATEGORIES.items():
        SubElement(parent, "Category", name=name, description=description)


def add_default_experiment(root: Element, description: Description) -> None:
    """Add the default experiment: from 0 s, with the tolerance that the built-in integration has."""
    SubElement(root, "DefaultExperiment", attributes(startTime=0.0, tolerance=description.tolerance))
