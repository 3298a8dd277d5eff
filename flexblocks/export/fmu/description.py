"""modelDescription.xml: the elements common to FMI 2.0 and 3.0."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from math import isfinite
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

import numpy as np

from flexblocks.export.fmu.units import base_exponents, modelica_unit
from flexblocks.export.fmu.variables import FmuVariable, Table

LOG_CATEGORIES = {
    "logStatusError": "why a call failed",
    "logStatusWarning": "what costs results their digits",
    "logStatusDiscard": "why values could not be computed; the importer may try a smaller step",
}

# Who can read the annotations of variables.
TOOL = "flexblocks"
# Intervals between outputs in the default experiment: Modelica tools' own default.
STEPS = 500

# What is not a character of XML 1.0, section 2.2, and what it advises against: C1 controls.
FOREIGN = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufdcf\ufdf0-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True)
class Description:
    """Model description of an FMU.

    Attributes
    ----------
    name : str
        Model name.
    identifier : str
        Model identifier: the name of the library and prefix of the C code.
    token : str
        GUID (2.0) or instantiation token (3.0), which ties the XML to the library.
    kinds : tuple of str
        ``"ModelExchange"``, ``"CoSimulation"``.
    tool : str
        Generation tool: flexblocks with its version.
    tolerance : float
        Relative tolerance of the default experiment.
    stop_time : float
        End of the default experiment [s].
    sources : tuple of str
        Names of the C source files.
    table : Table
    rates, outputs, algebraics : ndarray of bool
        Dependencies on [x, u, p], see `flexblocks.export.fmu.dependencies`.
    charts : bool
        Whether coordinates change their chart, for which the importer signals the end of each of its steps.
    """

    name: str
    identifier: str
    token: str
    kinds: tuple[str, ...]
    tool: str
    tolerance: float
    stop_time: float
    sources: tuple[str, ...]
    table: Table
    rates: np.ndarray
    outputs: np.ndarray
    algebraics: np.ndarray
    charts: bool

    def depends(self, reference: int, initially: bool = False) -> list[int]:
        """Return the value references of the continuous states and inputs that a variable depends on.

        With `initially`, parameters and discrete states count too.
        """
        table = self.table
        if reference >= table.y:
            row = self.outputs[reference - table.y]
        elif reference >= table.dx:
            row = self.rates[reference - table.dx]
        elif reference >= table.z:
            row = self.algebraics[reference - table.z]
        else:
            return [reference]  # a state depends on itself
        # The knowns [x, u, p] stand in the order of their value references.
        knowns = [table.x + int(i) for i in np.flatnonzero(row)]
        return knowns if initially else [known for known in knowns if known < table.d or table.u <= known < table.p]

    def initial_unknowns(self) -> list[int]:
        """Return the InitialUnknowns: value references of the outputs and rates that are calculated."""
        table = self.table
        wanted = {*table.outputs, *table.rates}
        return [v.reference for v in table.variables if v.reference in wanted and v.initial in ("approx", "calculated")]


def text(root: Element) -> str:
    """Return the XML document of a root element."""
    ElementTree.indent(root, "  ")
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"


def attributes(**values: object) -> dict[str, str]:
    """Return XML attributes as text; None and empty ones are left out."""

    def written(value: object) -> str:
        if isinstance(value, bool):
            return "true" if value else "false"
        return repr(value) if isinstance(value, float) else xml_text(value)

    return {name: written(value) for name, value in values.items() if value is not None and value != ""}


def xml_text(value: object) -> str:
    """Return text with U+FFFD in place of what XML 1.0 has no character for: control characters, surrogates.

    Line breaks and tabs become spaces, as parsers read them in attributes anyway.

    Examples
    --------
    >>> xml_text("arm\\x00 1\\n")
    'arm\ufffd 1 '
    """
    return FOREIGN.sub("\ufffd", re.sub(r"[\t\n\r]", " ", str(value)))


def root_element(description: Description, version: str, **more: object) -> Element:
    """Return the root of modelDescription.xml; `more` are version-specific attributes."""
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
    """Add unit definitions, log categories and the default experiment."""
    _add_units(root, [variable.unit for variable in description.table.variables])
    categories = SubElement(root, "LogCategories")
    for name, meaning in LOG_CATEGORIES.items():
        SubElement(categories, "Category", name=name, description=meaning)
    # With the tolerance of the built-in integrator.
    experiment = attributes(
        startTime=0.0,
        stopTime=description.stop_time,
        tolerance=description.tolerance,
        stepSize=description.stop_time / STEPS,
    )
    SubElement(root, "DefaultExperiment", experiment)


def _add_units(root: Element, units: Iterable[str]) -> None:
    """Add UnitDefinitions; an unknown unit has only its name."""
    parent = SubElement(root, "UnitDefinitions")
    for unit in dict.fromkeys(units):
        element = SubElement(parent, "Unit", attributes(name=modelica_unit(unit)))
        exponents = base_exponents(unit)
        if exponents is not None:
            SubElement(element, "BaseUnit", attributes(**exponents))


def variable_attributes(variable: FmuVariable) -> dict[str, str]:
    """Return the attributes common to all variable types: name, causality, variability and so on."""
    return attributes(
        name=variable.name,
        valueReference=variable.reference,
        description=variable.description,
        causality=variable.causality,
        variability=variable.variability,
        initial=variable.initial,
    )


def real_attributes(variable: FmuVariable, derivative: int | None) -> dict[str, str]:
    """Return the attributes of a real variable; `derivative` refers to the state whose time derivative it is."""
    return attributes(
        unit=modelica_unit(variable.unit),
        min=variable.low if isfinite(variable.low) else None,
        max=variable.high if isfinite(variable.high) else None,
        start=variable.start,
        derivative=derivative,
    )


def dependencies_text(known: Iterable[int]) -> str:
    """Return the attribute ``dependencies``; empty means none, whereas leaving it out would mean all knowns."""
    return " ".join(map(str, known))
