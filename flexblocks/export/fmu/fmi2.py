"""modelDescription.xml of FMI 2.0."""

from __future__ import annotations

from xml.etree.ElementTree import Element, SubElement

from flexblocks.export.fmu.description import (
    Description,
    add_default_experiment,
    add_log_categories,
    add_units,
    attributes,
    text,
)
from flexblocks.export.fmu.units import modelica_unit

ABILITIES = {
    "ModelExchange": {"completedIntegratorStepNotNeeded": True},
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
    root = Element(
        "fmiModelDescription",
        attributes(
            fmiVersion="2.0",
            modelName=description.name,
            guid=description.token,
            generationTool=description.tool,
            variableNamingConvention="structured",
            numberOfEventIndicators="0",
        ),
    )
    for kind in description.kinds:
        element = SubElement(
            root, kind, attributes(modelIdentifier=description.identifier, **ABILITIES[kind], **COMMON)
        )
        files = SubElement(element, "SourceFiles")
        for name in description.sources:
            SubElement(files, "File", name=name)
    add_units(root, [variable.unit for variable in description.table.variables])
    add_log_categories(root)
    add_default_experiment(root, description)
    _add_variables(root, description)
    _add_structure(root, description)
    return text(root)


def _index(description: Description) -> dict[int, int]:
    """Return the place of each variable in the XML, from 1, by value reference."""
    return {variable.reference: place for place, variable in enumerate(description.table.variables, 1)}


def _add_variables(root: Element, description: Description) -> None:
    parent = SubElement(root, "ModelVariables")
    index = _index(description)
    for variable in description.table.variables:
        element = SubElement(
            parent,
            "ScalarVariable",
            attributes(
                name=variable.name,
                valueReference=variable.reference,
                description=variable.description,
                causality=variable.causality,
                variability=variable.variability,
                initial=variable.initial,
            ),
        )
        limited = variable.limit < float("inf")
        SubElement(
            element,
            "Real",
            attributes(
                unit=modelica_unit(variable.unit),
                min=-variable.limit if limited else None,
                max=variable.limit if limited else None,
                start=variable.start,
                derivative=index[variable.state] if variable.state is not None else None,
            ),
        )


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
            behind = " ".join(str(index[known]) for known in description.depends(reference, initially))
            # An empty list says that it depends on nothing; no list, that it may depend on everything.
            SubElement(group, "Unknown", {"index": str(index[reference]), "dependencies": behind})
