"""modelDescription.xml and buildDescription.xml of FMI 3.0."""

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
    "ModelExchange": {"needsCompletedIntegratorStep": False},
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
    root = Element(
        "fmiModelDescription",
        attributes(
            fmiVersion="3.0",
            modelName=description.name,
            instantiationToken=description.token,
            generationTool=description.tool,
            variableNamingConvention="structured",
        ),
    )
    for kind in description.kinds:
        SubElement(root, kind, attributes(modelIdentifier=description.identifier, **ABILITIES[kind], **COMMON))
    add_units(root, [variable.unit for variable in description.table.variables])
    add_log_categories(root)
    add_default_experiment(root, description)
    parent = SubElement(root, "ModelVariables")
    for variable in description.table.variables:
        limited = variable.limit < float("inf")
        SubElement(
            parent,
            "Float64",
            attributes(
                name=variable.name,
                valueReference=variable.reference,
                description=variable.description,
                causality=variable.causality,
                variability=variable.variability,
                initial=variable.initial,
                unit=modelica_unit(variable.unit),
                min=-variable.limit if limited else None,
                max=variable.limit if limited else None,
                start=variable.start,
                derivative=variable.state,
            ),
        )
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
            behind = " ".join(str(known) for known in description.depends(reference, initially))
            # An empty list says that it depends on nothing; no list, that it may depend on everything.
            SubElement(parent, name, {"valueReference": str(reference), "dependencies": behind})


def build_description(description: Description) -> str:
    """Return buildDescription.xml, which says how the library is made of the sources."""
    root = Element("fmiBuildDescription", fmiVersion="3.0")
    configuration = SubElement(root, "BuildConfiguration", modelIdentifier=description.identifier)
    files = SubElement(configuration, "SourceFileSet", language="C99")
    for name in description.sources:
        SubElement(files, "SourceFile", name=name)
    SubElement(configuration, "Library", name="m")
    return text(root)
