"""modelDescription.xml and buildDescription.xml of FMI 3.0."""

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
    "CoSimulation": {"canHandleVariableCommunicationStepSize": True},
}
COMMON = {
    "canGetAndSetFMUState": True,
    "canSerializeFMUState": True,
    "providesDirectionalDerivatives": True,
    "providesAdjointDerivatives": True,
}


def model_description(description: Description) -> str:
    """Return modelDescription.xml."""
    root = root_element(description, "3.0", instantiationToken=description.token)
    for kind in description.kinds:
        abilities = ABILITIES[kind] | COMMON
        if kind == "ModelExchange":
            abilities = abilities | {"needsCompletedIntegratorStep": description.charts}
        SubElement(root, kind, attributes(modelIdentifier=description.identifier, **abilities))
    add_definitions(root, description)
    parent = SubElement(root, "ModelVariables")
    for variable in description.table.variables:
        common = variable_attributes(variable)
        element = SubElement(parent, "Float64", common | real_attributes(variable, derivative=variable.state))
        if variable.role:
            annotation = SubElement(SubElement(element, "Annotations"), "Annotation", type=f"{TOOL}.input_role")
            SubElement(annotation, "InputRole", role=variable.role)
    _add_structure(root, description)
    return text(root)


def _add_structure(root: Element, description: Description) -> None:
    parent = SubElement(root, "ModelStructure")
    groups = {
        "Output": (description.table.outputs, False),
        "ContinuousStateDerivative": (description.table.rates, False),
        "InitialUnknown": (description.initial_unknowns(), True),
    }
    for name, (references, initially) in groups.items():
        for reference in references:
            known = dependencies_text(description.depends(reference, initially))
            SubElement(parent, name, {"valueReference": str(reference), "dependencies": known})


def build_description(description: Description) -> str:
    """Return buildDescription.xml, the instructions for compiling the sources to the library."""
    root = Element("fmiBuildDescription", fmiVersion="3.0")
    configuration = SubElement(root, "BuildConfiguration", modelIdentifier=description.identifier)
    files = SubElement(configuration, "SourceFileSet", language="C99")
    for name in description.sources:
        SubElement(files, "SourceFile", name=name)
    SubElement(configuration, "Library", name="m")
    return text(root)
