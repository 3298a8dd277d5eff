"""modelDescription.xml of FMI 2.0."""

from __future__ import annotations

from xml.etree.ElementTree import Element, SubElement

from flexblocks.export.fmu.description import (
    TOOL,
    Description,
    add_definitions,
    attributes,
    dependencies_text,
    real_attributes,
    root_element,
    text,
    variable_attributes,
)

ABILITIES = {
    "ModelExchange": {},
    "CoSimulation": {"canHandleVariableCommunicationStepSize": True, "canInterpolateInputs": True},
}
COMMON = {
    "canNotUseMemoryManagementFunctions": True,
    "canGetAndSetFMUstate": True,
    "canSerializeFMUstate": True,
    "providesDirectionalDerivative": True,
}


def model_description(description: Description) -> str:
    """Return modelDescription.xml."""
    root = root_element(description, "2.0", guid=description.token, numberOfEventIndicators="0")
    for kind in description.kinds:
        abilities = ABILITIES[kind] | COMMON
        if kind == "ModelExchange":
            abilities = abilities | {"completedIntegratorStepNotNeeded": not description.charts}
        element = SubElement(root, kind, attributes(modelIdentifier=description.identifier, **abilities))
        files = SubElement(element, "SourceFiles")
        for name in description.sources:
            SubElement(files, "File", name=name)
    add_definitions(root, description)
    _add_variables(root, description)
    _add_structure(root, description)
    return text(root)


def _index(description: Description) -> dict[int, int]:
    """Return the 1-based index of each variable in ModelVariables, by value reference."""
    return {variable.reference: place for place, variable in enumerate(description.table.variables, 1)}


def _add_variables(root: Element, description: Description) -> None:
    parent = SubElement(root, "ModelVariables")
    index = _index(description)
    for variable in description.table.variables:
        element = SubElement(parent, "ScalarVariable", variable_attributes(variable))
        derivative = None if variable.state is None else index[variable.state]
        SubElement(element, "Real", real_attributes(variable, derivative))
        if variable.role:
            tool = SubElement(SubElement(element, "Annotations"), "Tool", name=TOOL)
            SubElement(tool, "InputRole", role=variable.role)


def _add_structure(root: Element, description: Description) -> None:
    parent = SubElement(root, "ModelStructure")
    index = _index(description)
    table = description.table
    groups = {
        "Outputs": (table.outputs, False),
        "Derivatives": (table.rates, False),
        "InitialUnknowns": (description.initial_unknowns(), True),
    }
    for name, (references, initially) in groups.items():
        if not references:
            continue
        group = SubElement(parent, name)
        for reference in references:
            known = dependencies_text(index[known] for known in description.depends(reference, initially))
            SubElement(group, "Unknown", {"index": str(index[reference]), "dependencies": known})
